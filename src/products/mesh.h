/* mesh.h - candidate layouts by meshes: how the ranks of a machine can be arranged in up to three
 * directions, in and across its nodes. */
#ifndef SCT_PRODUCTS_MESH_H
#define SCT_PRODUCTS_MESH_H

#include "machine/machine.h"

#include <stdbool.h>

/* The directions of a mesh: of a matrix, its replicas, rows and columns; of a product, the
 * dimensions that its work layout has in their places. */
enum { SCT_MESH_REPLICAS, SCT_MESH_ROWS, SCT_MESH_COLS, SCT_MESH_WAYS };

/* A run of ranks along one direction. Runs are nested, the outermost first. */
typedef struct sct_run_of_ranks {
    int way, times;
} sct_run_of_ranks;

enum { SCT_MESH_RUNS = 6, SCT_MESHES = 128 };
typedef struct sct_mesh {
    int runs;
    sct_run_of_ranks run[SCT_MESH_RUNS];
    int size[SCT_MESH_WAYS];
} sct_mesh;

typedef struct sct_meshes {
    int count;
    sct_mesh mesh[SCT_MESHES];
} sct_meshes;

/* Lists the meshes of all ranks, the plainest first. */
void sct_meshes_list(const sct_machine *machine, int ranks, sct_meshes *meshes);

/* The layout of a rows x cols matrix in which each direction of the mesh is one of the layout's, as
 * `way` says: way[direction] is its direction in the layout. */
sct_status sct_mesh_layout(const sct_mesh *mesh, const int way[SCT_MESH_WAYS], int64_t rows,
                           int64_t cols, int ranks, sct_layout **layout);

#endif
