import { Modal, setIcon, type App } from 'obsidian';
import { render } from 'preact';
import { archivePathOf } from '../../core/board/doctor/findings';
import type { Finding } from '../../core/board/doctor/finding';
import type { Board } from '../../core/board/task';
import type { Overview } from '../model/overview';
import { boardRepairs } from '../model/repairs';
import { Banner, type BannerButton } from '../part/banner';
import { IconDrawer } from '../part/icon';
import { useOverview } from '../part/use-overview';
import { findingButtons, findingWords } from '../sidebar/finding-banner';
import type { Intents } from '../sidebar/intents';

/** Everything that a person should look at, of all boards; it follows what is repaired. */
export class RepairList extends Modal {
  constructor(
    app: App,
    private readonly overview: Overview,
    private readonly intents: Intents,
  ) {
    super(app);
    this.modalEl.addClasses(['atb-dialog', 'atb-wide']);
    this.setTitle('Notes that need repair');
  }

  override onOpen(): void {
    render(
      <IconDrawer.Provider value={setIcon}>
        <Findings overview={this.overview} intents={this.intents} onLeave={() => this.close()} />
      </IconDrawer.Provider>,
      this.contentEl,
    );
  }

  override onClose(): void {
    render(null, this.contentEl);
  }
}

function Findings(props: {
  readonly overview: Overview;
  readonly intents: Intents;
  readonly onLeave: () => void;
}) {
  const { findings, boards } = useOverview(props.overview);
  if (findings.length === 0) return <p>All notes are well.</p>;
  return (
    <>
      {findings.map((finding) => {
        const { title, text } = findingWords(finding);
        const board = boardOf(finding, boards);
        return (
          <Banner
            key={`${finding.kind} ${finding.path} ${finding.line} ${finding.text}`}
            icon={finding.kind === 'broken-note' ? 'lock' : 'wrench'}
            label={title}
            title={title}
            text={`${placeOf(finding, board)}: ${text}`}
            buttons={board === undefined ? [] : buttons(board, finding, props)}
          />
        );
      })}
    </>
  );
}

/** The board's title, where that tells which file it is. */
function placeOf({ path, kind }: Finding, board: Board | undefined): string {
  const known = kind === 'sync-copy' || board === undefined ? '' : board.title;
  return known === '' ? path : known;
}

function boardOf({ path, kind }: Finding, boards: readonly Board[]): Board | undefined {
  const finding = { path, kind, line: 0, text: '' };
  return boards.find(
    (board) =>
      board.path === path ||
      archivePathOf(board.path) === path ||
      boardRepairs(board.path, [finding]).some((repair) => repair.kind === 'copies'),
  );
}

/** What opens another view closes the list; what repairs does not. */
function buttons(
  board: Board,
  finding: Finding,
  { intents, onLeave }: Parameters<typeof Findings>[0],
): readonly BannerButton[] {
  const leave = (go: () => void) => () => {
    onLeave();
    go();
  };
  if (finding.kind === 'sync-copy') {
    return [{ label: 'Compare…', onClick: leave(() => intents.compare(board, [finding.path])) }];
  }
  return findingButtons(board, finding, {
    repair: (...given) => intents.repair(...given),
    openFinding: (...given) => leave(() => intents.openFinding(...given))(),
  });
}
