/* What `armature:` and the check of masses share. */
#ifndef DAL_SPEC_ROTOR_H
#define DAL_SPEC_ROTOR_H

/* The `inertia_check` of a rotor, which has a moment of inertia about one axis only. */
#define DAL_INERTIA_OF_ROTOR "rotor"

#endif
