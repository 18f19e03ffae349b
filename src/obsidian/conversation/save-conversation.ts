import type { App, TFile } from 'obsidian';
import { fileName, free } from '../desk/export-dialog';
import type { Transcript } from '../../core/session/transcript/transcript';
import type { Notify } from '../desk/notify';
import { conversationNote, type ConversationFacts } from './conversation-note';

export interface SaveDeps {
  readonly app: App;
  /** where saved conversations go; empty: the top of the vault */
  readonly folder: string;
  readonly notify: Notify;
}

/** Writes a conversation to a new note and opens it; no note is ever written over. */
export async function saveConversation(
  { app, folder, notify }: SaveDeps,
  { blocks, older }: Transcript,
  facts: ConversationFacts,
): Promise<void> {
  if (blocks.length === 0) return notify('There is nothing to save yet.');
  let note: TFile;
  try {
    const path = folder.trim().replace(/^\/+|\/+$/g, '');
    if (path !== '' && app.vault.getAbstractFileByPath(path) === null) {
      await app.vault.createFolder(path);
    }
    const base = `${path === '' ? '' : `${path}/`}${fileName(facts.title)}`;
    note = await app.vault.create(free(app.vault, base, '.md'), conversationNote(blocks, facts));
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    return notify(`The conversation was not saved. ${why}`.trim());
  }
  await app.workspace.getLeaf('tab').openFile(note);
  const from = older ? ' Messages older than those that are loaded are not in it.' : '';
  notify(`Saved to ${note.path}.${from}`);
}
