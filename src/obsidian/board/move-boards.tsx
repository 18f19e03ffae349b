import type { Plugin, TAbstractFile } from 'obsidian';
import { useRef, useState } from 'preact/hooks';
import { BoardMover, type MoveAnswer } from '../../core/board/move/move-boards';
import type { MoveControl, MoveFiles } from '../../core/board/move/copy-boards';
import { BOARD_ROOT, STATE_ROOT } from '../../core/board/todo-manager';
import { StoreError, type Log, type NoteStore } from '../../core/ports';
import { boardRootFault, readSharedSettings } from '../../core/shared-settings';
import { moveOpenNotes } from '../note/open-board';
import type { Notify } from '../ui/notify';
import { saveSharedSettings } from './board-root';
import { openForm } from '../ui/dialog';
import { useFocus } from '../ui/focus';
import { Button } from '../ui/icon';
import { COMMA, faultText, sentenceText, t } from '../language/text';

interface BoardMovesDeps {
  readonly plugin: Plugin;
  readonly store: NoteStore;
  readonly files: MoveFiles;
  readonly log: Log;
  readonly notify: Notify;
  /** the board root that the plugin uses */
  readonly root: () => string;
  /** Reads the settings and the boards now. */
  readonly look: () => Promise<void>;
  /** Called when a folder has no boards any more. */
  readonly onFolderEmptied: (root: string) => void;
}

const NO_PROGRESS: MoveControl = { progress: () => undefined, cancelled: () => false };

/** Moves all boards, finishes moves that a crash interrupted, and follows a renamed folder. */
export class BoardMoves {
  private readonly mover: BoardMover;

  constructor(private readonly deps: BoardMovesDeps) {
    const { store, files, plugin } = deps;
    const { configDir } = plugin.app.vault;
    this.mover = new BoardMover({
      store,
      files,
      stateRoot: STATE_ROOT,
      root: async () => (await readSharedSettings(store, configDir)).root,
      setRoot: async (root) => {
        const problem = await saveSharedSettings(store, { root });
        if (problem !== undefined) throw new StoreError('io', problem);
        // Before the old files are removed: text typed into them counts as a late change.
        await moveOpenNotes(plugin.app, this.deps.root(), root);
        await this.deps.look();
      },
      rootFault: (root) => boardRootFault(root, configDir),
    });
  }

  /** At the plugin's start: completes a move that had switched, else offers to finish it. */
  async finish(): Promise<void> {
    const open = await this.unfinished();
    if (open === undefined) return;
    if (open.switched) {
      this.deps.notify(moveWords(await this.move(open.to, NO_PROGRESS)));
      return;
    }
    const text = t('board.boardsMoveNotFinished', { to: open.to, root: this.deps.root() });
    this.deps.notify(text, { label: t('board.finish'), onClick: () => void this.openDialog() });
  }

  /** Opens the dialog that moves the boards. */
  async openDialog(): Promise<void> {
    const { plugin, root, notify } = this.deps;
    const { app } = plugin;
    const open = await this.unfinished();
    const stop = new AbortController();
    await openForm<void>(app, t('board.moveBoardsToAnotherFolder'), (done) => (
      <MoveForm
        root={root()}
        unfinished={open?.switched === false ? open.to : undefined}
        fault={(folder) => rootProblem(folder, app.vault.configDir)}
        cancel={() => stop.abort()}
        close={() => done(undefined)}
        move={async (to, progress) => {
          const cancelled = () => stop.signal.aborted;
          const answer = await this.move(to, { progress, cancelled });
          if (!answer.ok && !cancelled()) return faultText(answer);
          notify(moveWords(answer));
          done(undefined);
          return '';
        }}
      />
    ));
    // Closing the dialog during the copy cancels the move; nothing was switched then.
    stop.abort();
  }

  /** Updates the setting when the person renamed a visible folder that contains the boards. */
  async followRename(file: TAbstractFile, before: string): Promise<void> {
    const { root, store, look, notify, plugin } = this.deps;
    const was = root();
    if (!`${was}/`.startsWith(`${before}/`)) return;
    const now = `${file.path}${was.slice(before.length)}`;
    const problem =
      rootProblem(now, plugin.app.vault.configDir) ??
      (await saveSharedSettings(store, { root: now }));
    await look();
    if (problem === undefined) this.deps.onFolderEmptied(was);
    notify(
      problem === undefined
        ? t('board.boardsAreInFolder', { now })
        : t('board.boardsAreInUnusableFolder', { now, problem, was }),
    );
  }

  private async move(to: string, control: MoveControl): Promise<MoveAnswer> {
    const answer = await this.mover.move(to, control);
    await this.deps.look();
    if (answer.ok && answer.problem === undefined) this.deps.onFolderEmptied(answer.from);
    return answer;
  }

  /** Only logs a journal that can't be read; the next move reads it again and reports that. */
  private async unfinished(): Promise<{ to: string; switched: boolean } | undefined> {
    try {
      return await this.mover.unfinished();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.deps.log.note('The journal of a move could not be read.', {
        at: 'board.move',
        severity: 'error',
        error: error.message,
      });
      return undefined;
    }
  }
}

function rootProblem(folder: string, configFolder: string): string | undefined {
  const fault = boardRootFault(folder, configFolder);
  return fault && sentenceText(fault);
}

/** The suggested visible folder, as alternative to the hidden default. */
const SUGGESTED_FOLDER = 'Agent boards';

/** Asks for a folder and shows the progress of the move, which can be cancelled. */
function MoveForm(props: {
  /** where the boards are now */
  readonly root: string;
  /** target folder of an unfinished move */
  readonly unfinished: string | undefined;
  /** Why a folder can't be the board root; undefined if it can. */
  readonly fault: (folder: string) => string | undefined;
  /** Moves the boards; resolves to why it was refused, or else closes the dialog. */
  readonly move: (to: string, progress: MoveControl['progress']) => Promise<string>;
  readonly cancel: () => void;
  readonly close: () => void;
}) {
  const { root, unfinished, fault } = props;
  const [typed, setTyped] = useState(
    unfinished ?? (isHiddenFolder(root) ? SUGGESTED_FOLDER : BOARD_ROOT),
  );
  const [problem, setProblem] = useState('');
  const [progress, setProgress] = useState<Progress>();
  const field = useRef<HTMLInputElement>(null);
  const isCopying = progress !== undefined;
  useFocus(field, isCopying);
  const folder = (text: string) => text.trim().replace(/\/+$/, '');
  const start = async () => {
    const to = folder(typed);
    const wrong = fault(to);
    if (wrong !== undefined) return setProblem(wrong);
    setProgress({ words: t('board.copyingToTo', { to }) });
    const refused = await props.move(to, (done, total) =>
      setProgress({ words: t('board.copyingFiles', { to, done, total }), done, total }),
    );
    setProgress(undefined);
    setProblem(refused);
  };
  if (isCopying) {
    return (
      <ProgressForm {...progress} stopping={t('board.removingTheCopies')} onCancel={props.cancel} />
    );
  }
  return (
    <>
      <p>{placeWords(root)}</p>
      {unfinished !== undefined && <p>{t('board.moveWasNotFinished', { to: unfinished })}</p>}
      <label class="atb-move-field">
        <span>{t('board.newFolder')}</span>
        <input
          type="text"
          ref={field}
          spellcheck={false}
          placeholder={SUGGESTED_FOLDER}
          value={typed}
          aria-invalid={problem === '' ? undefined : true}
          onInput={({ currentTarget: { value } }) => {
            setTyped(value);
            setProblem(fault(folder(value)) ?? '');
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.isComposing) void start();
          }}
        />
      </label>
      <p class="atb-move-problem" role="alert">
        {problem}
      </p>
      <div class="modal-button-container">
        <Button kind="cta" words={t('board.moveBoards')} onClick={() => void start()} />
        <button type="button" onClick={props.close}>
          {t('common.cancel')}
        </button>
      </div>
    </>
  );
}

export interface Progress {
  readonly words: string;
  /** undefined: unknown yet */
  readonly done?: number;
  readonly total?: number;
}

/**
 * Progress of an action on many files, with a stop button. @param stopping text once it is pressed
 */
export function ProgressForm({
  words,
  done,
  total,
  stopping,
  onCancel,
}: Progress & { readonly stopping: string; readonly onCancel: () => void }) {
  const [cancelled, setCancelled] = useState(false);
  const cancel = () => {
    setCancelled(true);
    onCancel();
  };
  return (
    <>
      <p role="status">{cancelled ? stopping : words}</p>
      <progress
        class="atb-move-bar"
        aria-label={t('board.progress')}
        value={done}
        max={total && Math.max(1, total)}
      />
      <div class="modal-button-container">
        <button type="button" disabled={cancelled} onClick={cancel}>
          {t('common.cancel')}
        </button>
      </div>
    </>
  );
}

function placeWords(root: string): string {
  return isHiddenFolder(root)
    ? t('board.inHiddenFolder', { root })
    : t('board.inVisibleFolder', { root });
}

function isHiddenFolder(root: string): boolean {
  return root.split('/').some((name) => name.startsWith('.'));
}

/** Describes the outcome of a move for the person. */
export function moveWords(answer: MoveAnswer): string {
  if (!answer.ok) return faultText(answer);
  const { from, to, count, besides, problem } = answer;
  const done =
    count === 0 ? t('board.newBoardsGoTo', { to }) : t('board.filesWereMoved', { count, to });
  const moved =
    problem === undefined ? done : t('board.areInNow', { to, problem: sentenceText(problem) });
  const copies =
    besides.length === 0
      ? []
      : [t('board.writtenInBoth', { from, to, paths: besides.join(COMMA) })];
  return [moved, ...copies, t('board.openCodeUsesNewFolder')].join(' ');
}
