/* Meshes for pictures: files in STL (binary or text) and OBJ. */
#ifndef DAL_SPEC_MESH_H
#define DAL_SPEC_MESH_H

#include "base/message.h"

#include <stdint.h>

enum { DAL_TRIANGLE_LIMIT = 500000, DAL_TRIANGLES_SHOWN = 8000 }; /* of a file; of a mesh in a page */

typedef struct dal_mesh {
    int n_vertices, n_triangles;
    double *vertices;    /* x, y, z; within the range of single precision, in which no two are the same */
    uint32_t *triangles; /* three corners each */
} dal_mesh;

/* The extension of `path` decides the type. False with a message that has the line. Memory comes from `arena`, whose guard is set. */
bool dal_mesh_parse(dal_arena *arena, dal_messages *messages, const char *path, const char *text, size_t length, dal_mesh *mesh);

/* A file of a model: it must be in `root`; `mark` is the place where the model names it. */
bool dal_mesh_read(dal_arena *arena, dal_messages *messages, const char *root, const char *path, dal_mark mark, dal_mesh *mesh);

/* mesh_reduce.c: at most this number of triangles, for pictures; a smaller mesh is not changed. The arena's guard is set. */
void dal_mesh_reduce(dal_arena *arena, dal_mesh *mesh, int most);

#endif
