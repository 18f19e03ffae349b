import { findNodeAtLocation, parseTree, type Node, type ParseError } from 'jsonc-parser';
import type { Finding } from '../core/board/board-findings';
import type { NoteStore } from '../core/ports';
import { SHARED_SETTINGS_PATH, readSharedSettings, unreadSettings } from '../core/shared-settings';

const RULES_CONSEQUENCE =
  'Until then none of its rules is followed: each call of an agent is asked about, and refused where nobody can be asked.';

const ROOT_CONSEQUENCE = 'Until then the boards are in their usual folder.';

/** The doctor's findings for shared settings that are not followed, with their line if known. */
export async function settingsFindings(store: NoteStore): Promise<readonly Finding[]> {
  const text = await store.read(SHARED_SETTINGS_PATH).catch(() => undefined);
  const { problem } = await readSharedSettings(store).catch(unreadSettings);
  if (problem === undefined) return [];
  const why = problem.replace(new RegExp(`^${SHARED_SETTINGS_PATH}:? `), '');
  const consequence = why.startsWith('"root" is not used') ? ROOT_CONSEQUENCE : RULES_CONSEQUENCE;
  const line = text === undefined ? 0 : lineOf(text, why);
  return [
    {
      kind: 'settings',
      path: SHARED_SETTINGS_PATH,
      line,
      text: `It ${asPredicate(why)} ${consequence}`,
    },
  ];
}

function asPredicate(why: string): string {
  return /^(?:is |has more than)/.test(why) ? why : `is not followed: ${why}`;
}

/** From 1; 0 if the message names no place. */
function lineOf(text: string, why: string): number {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text.replace(/^\ufeff/, ' '), errors, { disallowComments: true });
  } catch (error) {
    // The brackets are nested too deep for the parser.
    if (error instanceof RangeError) return 0;
    throw error;
  }
  const offset = errors[0]?.offset ?? (root && findNode(root, why)?.offset);
  return offset === undefined ? 0 : text.slice(0, offset).split('\n').length;
}

/**
 * The innermost existing node on the path that a message of `readPermissions` or of a settings
 * field names.
 */
function findNode(root: Node, why: string): Node | undefined {
  const [, list, number] = /\b(rule|scope) (\d+)\b/.exec(why) ?? [];
  const [, field] = /^"([\w.]+)"/.exec(why) ?? [];
  const path: (string | number)[] =
    list !== undefined
      ? ['permissions', `${list}s`, Number(number) - 1]
      : (field?.split('.') ?? ['permissions']);
  for (let depth = path.length; depth > 0; depth -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, depth));
    if (node !== undefined) return node;
  }
  return undefined;
}
