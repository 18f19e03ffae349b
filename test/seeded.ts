import * as fc from 'fast-check';

/** What every run of the tests draws, so that none fails by chance. `SEED=123 npm test` draws something else. */
const SEED = process.env.SEED ?? '20261123';
if (!/^-?\d{1,10}$/.test(SEED)) throw new Error(`SEED must be a whole number, and is "${SEED}".`);
fc.configureGlobal({ seed: Number(SEED) });

/** fast-check, drawing from the seed of this run. A single property names no seed: it could not be tried with others. */
export { fc };
