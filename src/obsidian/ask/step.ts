/** `always` and `deny` are the second steps of these two answers. */
export type Step = 'ask' | 'always' | 'deny';
