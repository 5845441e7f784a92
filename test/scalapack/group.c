/* group.c - a plug-in that has nothing of its own, only the libraries that it is linked to. */
typedef int nothing;
