/* The contents of a picture of a system, as numbers: bodies with their points and shapes, joints, force elements. */
#ifndef DAL_COMPILE_SCENE_H
#define DAL_COMPILE_SCENE_H

#include "spec/mesh.h"
#include "compile/build.h"

typedef enum dal_figure_kind {
    DAL_FIGURE_BOX,
    DAL_FIGURE_SPHERE,
    DAL_FIGURE_CYLINDER,
    DAL_FIGURE_CAPSULE,
    DAL_FIGURE_PLATE,
    DAL_FIGURE_POLYLINE,
    DAL_FIGURE_MESH
} dal_figure_kind;
extern const char *const dal_figure_names[]; /* by kind; ends with NULL */
int dal_figure_find(const char *name);       /* its kind, -1 if there is none */

/* A shape, placed in the axes of its body by `at` and `quaternion`. */
typedef struct dal_figure {
    dal_figure_kind kind;
    double at[3], quaternion[4];
    char color[8]; /* "#rrggbb", or "" */
    double size[3], radius, length, thickness;
    int n_points;   /* of a polyline or an outline */
    double *points; /* 3 each */
    dal_mesh mesh;
} dal_figure;

typedef struct dal_scene_point {
    const char *name;
    double at[3];
} dal_scene_point;

typedef struct dal_scene_body {
    const char *name;
    bool particle;
    double mass, center[3], inertia[6]; /* xx yy zz xy xz yz */
    int n_points, n_figures;
    size_t room_figures, room_points;
    dal_scene_point *points;
    dal_figure *figures;
} dal_scene_body;

typedef struct dal_scene_joint {
    const char *name, *type, *motion; /* motion: "Rz", ""; see joint/joint.h */
    const dal_marker *marker;         /* two of them */
    bool pair;                        /* it connects two points */
    double radius;                    /* of a wheel, pinion or ball; NAN: it has none */
    bool redundant;                   /* some of its rows depend on others, at the start */
    bool driven;                      /* its coordinate is prescribed */
    int n_coupled, coupled[2];        /* joints that it couples, drives or locks */
    double ratio;                     /* of a gear; NAN: it has none */
} dal_scene_joint;

typedef struct dal_scene_end {
    int body;
    double at[3];
} dal_scene_end;

typedef struct dal_scene_force {
    const char *name, *type;
    int n_ends;
    dal_scene_end end[2];
    double free; /* length of a spring without force; NAN: it has none */
    int joint;   /* on whose coordinate it acts, or -1 */
} dal_scene_force;

/* What is shown when a page is opened: `view:`. */
typedef struct dal_view {
    bool given;
    int n_traces, n_hidden, n_transparent, n_plots;
    struct dal_view_trace {
        int body, point; /* point -1: the centre of mass */
    } * traces;
    int *hidden, *transparent; /* bodies; DAL_GROUND can be hidden */
    char (*color)[8];          /* of each body: "#rrggbb", or "" */
    const dal_list *plots;     /* names of columns */
    double camera[3];          /* direction to the eye; zero: not given */
    double zoom;               /* NAN: not given */
    int focus;                 /* a body; DAL_GROUND: none */
} dal_view;

typedef struct dal_scene {
    dal_space space;
    double gravity[3], length; /* the model's length */
    int n_bodies, n_joints, n_forces;
    dal_scene_body *bodies, ground;
    dal_scene_joint *joints;
    dal_scene_force *forces;
    dal_view view;
    void *memory;
} dal_scene;

/* The system was compiled from the spec; both have to stay. Meshes are read here. */
dal_status dal_scene_create(const dal_allocator *allocator, const dal_spec *spec, const dal_system *system, dal_messages *messages,
                            dal_scene **scene);
void dal_scene_free(dal_scene *scene);

/* figures.c: the numbers of a shape. False with a message. Meshes: their files are read if `whole`. */
bool dal_build_figure(dal_build *build, const dal_binding *binding, const dal_figure_spec *spec, bool whole, dal_figure *figure);
/* "#rrggbb" or the name of a color; nothing: "". False with a message. */
bool dal_build_color(dal_build *build, dal_text text, char color[8]);
/* view.c: `view:` in numbers of bodies and points. False with messages. */
bool dal_build_view(dal_build *build, dal_view *view);
/* Of all shapes of the model: messages only. */
void dal_check_figures(dal_build *build);

#endif
