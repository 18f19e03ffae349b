/** The bridge's own version: the package's, which a test holds it to. */
export const BRIDGE_VERSION = '0.1.0';
