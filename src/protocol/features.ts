/**
 * What a bridge can do that older ones of the same version can't, as `welcome.features` names it.
 * `keys`: it knows the `key` of `session.start` and `session.message`, and `session.look`.
 */
export const FEATURES = ['keys'] as const;
export type Feature = (typeof FEATURES)[number];
