import type { App } from 'obsidian';
import { TabModal } from '../ui/dialog';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import { StoreError, type NoteStore } from '../../core/ports';
import { DiffLines } from '../ui/diff-view';
import { textDiff } from '../ui/text-diff';
import type { Notify } from '../ui/notify';

export interface CompareDeps {
  readonly app: App;
  readonly store: Pick<NoteStore, 'read'>;
  readonly trash: (path: string) => Promise<void>;
  readonly open: (board: Board) => void;
  readonly notify: Notify;
  /** a copy is gone */
  readonly changed: () => void;
}

interface Copy {
  readonly path: string;
  readonly text: string;
}

/** Shows what copies of sync tools have that the board has not, and takes one away if the person says so. */
export async function compareCopies(
  deps: CompareDeps,
  board: Board,
  paths: readonly string[],
): Promise<void> {
  const { app, store, notify } = deps;
  try {
    const own = (await store.read(board.path)) ?? '';
    const copies: Copy[] = [];
    for (const path of paths) {
      const text = await store.read(path);
      if (text !== undefined) copies.push({ path, text });
    }
    new CompareModal(app, deps, board, own, copies).open();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    notify(error.message);
  }
}

class CompareModal extends TabModal {
  constructor(
    app: App,
    private readonly deps: CompareDeps,
    private readonly board: Board,
    private readonly own: string,
    private readonly copies: readonly Copy[],
  ) {
    super(app);
    this.modalEl.addClasses(['atb-dialog', 'atb-wide']);
    this.setTitle(`Sync copies of ${board.title}`);
  }

  override onOpen(): void {
    render(
      <Copies
        own={this.own}
        copies={this.copies}
        onOpen={() => {
          this.close();
          this.deps.open(this.board);
        }}
        onTrash={(copy) => this.trash(copy)}
      />,
      this.contentEl,
    );
  }

  override onClose(): void {
    render(null, this.contentEl);
  }

  /** Only what was shown goes. @returns whether it went */
  private async trash({ path, text }: Copy): Promise<boolean> {
    const { store, trash, notify, changed } = this.deps;
    try {
      if ((await store.read(path)) !== text) {
        notify('This copy was written meanwhile. Close this and compare again.');
        return false;
      }
      await trash(path);
    } catch (error) {
      notify(`The copy is still there. ${error instanceof Error ? error.message : ''}`.trim());
      return false;
    }
    notify('The copy is in the trash.');
    changed();
    return true;
  }
}

function Copies(props: {
  readonly own: string;
  readonly copies: readonly Copy[];
  readonly onOpen: () => void;
  readonly onTrash: (copy: Copy) => Promise<boolean>;
}) {
  const [copies, setCopies] = useState(props.copies);
  const drop = async (copy: Copy) => {
    if (await props.onTrash(copy)) setCopies((now) => now.filter((one) => one !== copy));
  };
  if (copies.length === 0) return <p>There is no copy any more.</p>;
  return (
    <>
      <p>Lines with + are only in the copy, lines with - only in the board.</p>
      {copies.map((copy) => (
        <CopyView key={copy.path} {...props} copy={copy} onTrash={() => void drop(copy)} />
      ))}
    </>
  );
}

function CopyView(props: {
  readonly own: string;
  readonly copy: Copy;
  readonly onOpen: () => void;
  readonly onTrash: () => void;
}) {
  const name = props.copy.path.slice(props.copy.path.lastIndexOf('/') + 1);
  const lines = textDiff(props.own, props.copy.text);
  return (
    <section>
      <h3>{name}</h3>
      {lines.length === 0 && <p>It says the same as the board.</p>}
      <DiffLines lines={lines} name={`What ${name} has that the board has not`} />
      <div class="atb-buttons">
        <button type="button" class="atb-button" onClick={props.onOpen}>
          Open board
        </button>
        <button type="button" class="atb-button" onClick={props.onTrash}>
          Move copy to trash
        </button>
      </div>
    </section>
  );
}
