import type { BlockText } from '../archive/block-text';
import { cutBlocks } from '../archive/cut-blocks';
import { setArchived } from '../archive/set-archived';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { quoted } from '../operation/find-task';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import type { ChangeRecord } from './change-record';

export interface TakenBack {
  readonly ok: true;
  readonly note: Note;
  /** blocks that go to the archive with it */
  readonly archived: readonly BlockText[];
  /** blocks that come out of the archive */
  readonly restored: readonly BlockText[];
}

/**
 * What came out of the archive goes back there, and the other way round.
 * Refused where the archive says something else of it by now: that would be lost.
 * @param archive as it is, undefined where there is none
 */
export function throughArchive(
  now: Note,
  record: ChangeRecord,
  archive: Note | undefined,
): TakenBack | Fault {
  const here = new Set(now.board.tasks.map(({ id }) => id));
  const [put, back] = [record.archived ?? [], record.restored ?? []];
  // What came back and went again in one change stands in the archive. All else comes out of it:
  // where its line is not here, the change itself had added it, or given it its id.
  const restored = put.filter(
    ({ ids }) => ids.some((id) => here.has(id)) || !back.some((one) => sharesId(one, ids)),
  );
  const archived = back.filter(
    ({ ids }) => !ids.some((id) => here.has(id)) && !put.some((one) => sharesId(one, ids)),
  );
  if (restored.length + archived.length === 0) return { ok: true, note: now, archived, restored };
  const refused = changedThere(restored, archive);
  if (refused !== undefined) return refused;
  const text = setArchived(now, archived, restored);
  return { ok: true, note: parseNote(now.board.path, text), archived, restored };
}

function sharesId(block: BlockText, ids: BlockText['ids']): boolean {
  return block.ids.some((id) => ids.includes(id));
}

function changedThere(blocks: readonly BlockText[], archive: Note | undefined): Fault | undefined {
  if (archive === undefined || blocks.length === 0) return undefined;
  const { broken, tasks } = archive.board;
  if (broken !== null) {
    const message = `The archive can't be read until the person has repaired it. ${broken.reason}`;
    return fault('broken_note', message);
  }
  for (const { ids, text } of blocks) {
    const root = tasks.find(({ id }) => id !== null && id === ids[0]);
    if (root === undefined) continue;
    const cut = cutBlocks(archive, new Set([root.key]));
    if (cut.ok && linesOf(cut.blocks[0]?.text ?? '') === linesOf(text)) continue;
    const message = `${quoted(root.title)} was changed in the archive since, so it was not undone. Take it back with restore.`;
    return fault('changed_since', message);
  }
  return undefined;
}

/** What ends the lines is each note's own. */
function linesOf(text: string): string {
  return text.replace(/\r\n?/g, '\n').trimEnd();
}
