/* sectile_version.h - the version of these headers. It is defined here only: the build reads it.
 *
 * CONTRIBUTING.md says what may change from one version to the next. */
#ifndef SECTILE_VERSION_H
#define SECTILE_VERSION_H

#define SCT_VERSION_MAJOR 0
#define SCT_VERSION_MINOR 3
#define SCT_VERSION_PATCH 0

/* True if these headers have at least this version. It can be used in #if. The version of the
 * library that a program runs with may be another one: sct_version() returns that. */
#define SCT_VERSION_AT_LEAST(major, minor, patch) \
    (SCT_VERSION_MAJOR > (major) ||               \
     (SCT_VERSION_MAJOR == (major) &&             \
      (SCT_VERSION_MINOR > (minor) ||             \
       (SCT_VERSION_MINOR == (minor) && SCT_VERSION_PATCH >= (patch)))))

#endif
