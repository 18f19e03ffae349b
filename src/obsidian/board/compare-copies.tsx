import type { App } from 'obsidian';
import { toTrash } from '../adapter/vault-notes';
import { openBoard } from '../note/open-board';
import { openForm } from '../ui/dialog';
import { useState } from 'preact/hooks';
import type { NamedStore } from '../../core/board/names/named-store';
import type { Board } from '../../core/board/task';
import { StoreError } from '../../core/ports';
import { DiffLines } from '../ui/diff-view';
import { textDiff } from '../ui/text-diff';
import { failureWords, notify } from '../ui/notify';
import { Button } from '../ui/icon';
import { faultText, t } from '../language/text';

interface SyncCopy {
  readonly path: string;
  readonly text: string;
}

/**
 * Compares a board with the copies that sync tools made of it, and trashes a copy if the person
 * says so.
 * @param onTrashed called when a copy was trashed
 */
export async function compareCopies(
  app: App,
  store: Pick<NamedStore, 'read' | 'fileOf'>,
  board: Board,
  paths: readonly string[],
  onTrashed: () => void,
): Promise<void> {
  try {
    const own = (await store.read(board.path)) ?? '';
    const copies: SyncCopy[] = [];
    for (const path of paths) {
      const text = await store.read(path);
      if (text !== undefined) copies.push({ path, text });
    }
    const onTrash = (copy: SyncCopy) => trashCopy(app, store, copy, onTrashed);
    const title = t('board.syncCopiesOfTitle', { title: board.title });
    const draw = (done: (open: true) => void) => (
      <Copies {...{ own, copies, onTrash }} onOpen={() => done(true)} />
    );
    const open = await openForm<true>(app, title, draw, true);
    if (open === true) await openBoard({ app, store }, board, undefined, false);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    notify(faultText(error));
  }
}

/** Trashes a copy only if it is still as it was shown. @returns whether it was trashed */
async function trashCopy(
  app: App,
  store: Pick<NamedStore, 'read' | 'fileOf'>,
  { path, text }: SyncCopy,
  onTrashed: () => void,
): Promise<boolean> {
  try {
    if ((await store.read(path)) !== text) {
      notify(t('board.copyWasWritten'));
      return false;
    }
    await toTrash(app)(store.fileOf(path));
  } catch (error) {
    notify(failureWords(t('board.copyIsStillThere'), error));
    return false;
  }
  notify(t('board.copyIsInTheTrash'));
  onTrashed();
  return true;
}

function Copies(props: {
  readonly own: string;
  readonly copies: readonly SyncCopy[];
  readonly onOpen: () => void;
  readonly onTrash: (copy: SyncCopy) => Promise<boolean>;
}) {
  const [copies, setCopies] = useState(props.copies);
  const drop = async (copy: SyncCopy) => {
    if (await props.onTrash(copy)) setCopies((now) => now.filter((one) => one !== copy));
  };
  if (copies.length === 0) return <p>{t('board.noCopyAnyMore')}</p>;
  return (
    <>
      <p>{t('board.whatTheSignsMean')}</p>
      {copies.map((copy) => (
        <CopyView key={copy.path} {...props} copy={copy} onTrash={() => void drop(copy)} />
      ))}
    </>
  );
}

function CopyView(props: {
  readonly own: string;
  readonly copy: SyncCopy;
  readonly onOpen: () => void;
  readonly onTrash: () => void;
}) {
  const name = props.copy.path.slice(props.copy.path.lastIndexOf('/') + 1);
  const lines = textDiff(props.own, props.copy.text);
  return (
    <section>
      <h3>{name}</h3>
      {lines.length === 0 && <p>{t('board.saysTheSame')}</p>}
      <DiffLines lines={lines} name={t('board.whatTheCopyHas', { name })} />
      <div class="atb-buttons">
        <Button words={t('common.openBoard')} onClick={props.onOpen} />
        <Button words={t('board.moveCopyToTrash')} onClick={props.onTrash} />
      </div>
    </section>
  );
}
