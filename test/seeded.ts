import * as fc from 'fast-check';

/** The seed, fixed so that no test fails by chance. `SEED=123 npm test` sets another. */
const SEED = process.env.SEED ?? '20261123';
if (!/^-?\d{1,10}$/.test(SEED)) throw new Error(`SEED must be a whole number, and is "${SEED}".`);
fc.configureGlobal({ seed: Number(SEED) });

/** fast-check with the seed of this run. A property that set its own could not use others. */
export { fc };
