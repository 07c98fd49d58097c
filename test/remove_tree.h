/* Removes a folder of a test and all that is in it. */
#ifndef DAL_TEST_REMOVE_TREE_H
#define DAL_TEST_REMOVE_TREE_H

#include <ftw.h>
#include <stdio.h>

static inline int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info, (void)kind, (void)at;
    return remove(path);
}

static inline int remove_tree(const char *folder)
{
    return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
