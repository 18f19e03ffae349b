import type { Ids } from '../../core/ports';

/** Ids from the system's source of chance. */
export const randomIds: Ids = {
  unique: () => crypto.randomUUID(),
  random: () => {
    const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
    return word / 2 ** 32;
  },
};
