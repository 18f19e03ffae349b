/** The command line's own version: the package's, which a test holds it to. */
export const CLI_VERSION = '0.1.0';
