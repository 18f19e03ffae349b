import ja from './ja.json';
import type { Messages } from './message';

/** By Obsidian's language code. English is in `en/`. */
export const OTHER_LANGUAGES: Readonly<
  Record<string, Readonly<Record<string, Messages>> | undefined>
> = { ja };
