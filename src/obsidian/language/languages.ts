import ja from './ja.json';
import type { Messages } from './message';

/** By the code that Obsidian gives a language; English stands in `en/`. */
export const OTHER_LANGUAGES: Readonly<
  Record<string, Readonly<Record<string, Messages>> | undefined>
> = { ja };
