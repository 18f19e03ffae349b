import {
  archivePathOf,
  findings,
  findArchivesAndCopies,
  type Finding,
  type FindingKind,
  type FoundFile,
} from '../../core/board/board-findings';
import type { Drafts } from '../../core/board/merge/note-draft';
import type { Board, Problem } from '../../core/board/task';
import type { Clock, NoteStore } from '../../core/ports';
import type { App } from 'obsidian';
import { openForm } from '../ui/dialog';
import { useOverview, type Overview } from '../model/overview';
import { Banner, type BannerButton, type BannerProps } from '../ui/banner';
import type { Intents } from './intents';
import { said, t } from '../language/text';

/** A banner of a board: one finding, all copies of the board, or only the number of findings. */
export type Repair =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'copies'; readonly paths: readonly string[] }
  | { readonly kind: 'several'; readonly count: number };

/** Most findings that get a banner each; more than that share one. */
const MAX_BANNERS = 2;

/**
 * Problems of one board, except that it can't be read, which has its own banner. Copies belong to
 * the board in the same folder whose name theirs begins with.
 */
export function boardRepairs(path: string, findings: readonly Finding[]): readonly Repair[] {
  const stem = path.replace(/\.md$/, '');
  const copies = findings.filter(
    ({ kind, path: copy }) =>
      kind === 'sync-copy' && copy.startsWith(stem) && /^[ ._(]/.test(copy.slice(stem.length)),
  );
  const own = findings.filter(
    (finding) =>
      (finding.path === path && finding.kind !== 'broken-note') ||
      finding.path === archivePathOf(path),
  );
  const repairs: Repair[] = [];
  if (copies.length > 0) repairs.push({ kind: 'copies', paths: copies.map((one) => one.path) });
  if (own.length > MAX_BANNERS) repairs.push({ kind: 'several', count: own.length });
  else for (const finding of own) repairs.push({ kind: 'finding', finding });
  return repairs;
}

interface RepairScannerDeps {
  readonly store: NoteStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly root: () => string;
  readonly boards: () => readonly Board[];
  readonly found: (findings: readonly Finding[]) => void;
  /** Lines with two versions that wait for a choice, by path of their notes. */
  readonly kept: (paths: readonly string[]) => ReturnType<Drafts['allKept']>;
}

/** ms for which the list of files beside the boards is cached. */
const OTHER_FILES_MAX_AGE = 30_000;

/** Updates the list of findings after each check of the boards. */
export class RepairScanner {
  private boards: readonly Board[] = [];
  private otherFiles: readonly FoundFile[] = [];
  private kept: Awaited<ReturnType<Drafts['allKept']>> = new Map();
  private listedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: RepairScannerDeps) {}

  /** Makes the next check read everything. */
  invalidate(): void {
    this.listedAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether a board has tasks in its archive, as of the last check. */
  hasArchive(board: string): boolean {
    const path = archivePathOf(board);
    return this.otherFiles.some(
      (file) => file.kind === 'archive' && file.path === path && file.board.tasks.length > 0,
    );
  }

  /** @throws StoreError if the folders can't be listed */
  async scan(): Promise<void> {
    const { store, clock, root, found } = this.deps;
    const boards = this.deps.boards();
    const due = clock.now() - this.listedAt >= OTHER_FILES_MAX_AGE;
    const same =
      boards.length === this.boards.length && boards.every((b, i) => b === this.boards[i]);
    if (!due && same) return;
    if (due) {
      this.otherFiles = await findArchivesAndCopies(store, root());
      this.kept = await this.deps.kept(boards.map(({ path }) => path));
      this.listedAt = clock.now();
    }
    this.boards = boards;
    found([
      ...findings(boards, this.otherFiles),
      ...boards.flatMap((one) => versionFindings(one, this.kept)),
    ]);
  }
}

/** Findings for lines that person and agent both changed: the person chooses in the note. */
function versionFindings(
  { path, tasks }: Board,
  kept: Awaited<ReturnType<Drafts['allKept']>>,
): readonly Finding[] {
  return (kept.get(path) ?? []).map(({ id, title }) => {
    const task = tasks.find((one) => (id === null ? one.title === title : one.id === id));
    const words = { text: t('board.twoVersions'), task: title };
    return { kind: 'two-versions', path, line: task?.line ?? 1, ...words };
  });
}

/** Shows the findings of all boards; the list updates when one is repaired. */
export function showRepairs(app: App, overview: Overview, intents: Intents): void {
  const draw = (done: (value: undefined) => void) => (
    <Findings {...{ overview, intents }} onLeave={() => done(undefined)} />
  );
  void openForm<never>(app, t('board.notesThatNeedRepair'), draw, true);
}

function Findings(props: {
  readonly overview: Overview;
  readonly intents: Intents;
  readonly onLeave: () => void;
}) {
  const { findings, boards } = useOverview(props.overview);
  if (findings.length === 0) return <p>{t('board.noNoteNeedsRepair')}</p>;
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
            text={`${placeOf(finding, board)}: ${text}`}
            buttons={board === undefined ? [] : buttons(board, finding, props)}
          />
        );
      })}
    </>
  );
}

/** The board's title if that identifies the file, else its path. */
function placeOf({ path, kind }: Finding, board: Board | undefined): string {
  const known = kind === 'sync-copy' || board === undefined ? '' : board.title;
  return known === '' ? path : known;
}

/** The board that a finding is about; undefined: none. */
export function boardOf({ path, kind }: Finding, boards: readonly Board[]): Board | undefined {
  const finding = { path, kind, line: 0, text: '' };
  return boards.find(
    (board) =>
      board.path === path ||
      archivePathOf(board.path) === path ||
      boardRepairs(board.path, [finding]).some((repair) => repair.kind === 'copies'),
  );
}

/** Buttons of a finding; those that open another view close the list, repairs don't. */
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
    return [
      { label: t('board.compare'), onClick: leave(() => intents.compare(board, [finding.path])) },
    ];
  }
  const open = leave(() => intents.openFinding(board, finding));
  return findingButtons(board, finding, {
    repair: () => intents.repair(board, finding),
    openFinding: open,
  });
}

/** Shows a problem of a board that can be read, and its repairs. */
export function FindingBanner(props: {
  readonly board: Board;
  readonly repair: Repair;
  readonly intents: Pick<Intents, 'repair' | 'openFinding' | 'showRepairs' | 'compare'>;
}) {
  return (
    <div role="none">
      <Banner {...bannerProps(props)} />
    </div>
  );
}

function bannerProps({ board, repair, intents }: Parameters<typeof FindingBanner>[0]): BannerProps {
  switch (repair.kind) {
    case 'copies': {
      const count = repair.paths.length;
      const label = t('board.syncCopiesOfBoard', { count });
      const text = t('board.copiesAreNotLoaded', { count });
      const onClick = () => intents.compare(board, repair.paths);
      return { icon: 'files', label, text, buttons: [{ label: t('board.compare'), onClick }] };
    }
    case 'several': {
      const label = t('board.placesNeedALook', { count: repair.count });
      const text = t('board.elseIsEditable');
      const onClick = () => intents.showRepairs();
      return { icon: 'wrench', label, text, buttons: [{ label: t('board.show'), onClick }] };
    }
    case 'finding': {
      const { finding } = repair;
      const { title: label, text } = findingWords(finding);
      const icon = finding.kind === 'two-versions' ? 'git-merge' : 'wrench';
      return { icon, label, text, buttons: findingButtons(board, finding, intents) };
    }
  }
}

/** Repairs for a finding, the safe one first. */
function findingButtons(
  board: Board,
  finding: Finding,
  intents: Pick<Intents, 'repair' | 'openFinding'>,
): readonly BannerButton[] {
  const fixes = finding.fix?.type === 'renumber';
  const repair = { label: t('board.renumber'), onClick: () => intents.repair(board, finding) };
  const label = openWords(finding.line);
  const open = { label, quiet: fixes, onClick: () => intents.openFinding(board, finding) };
  return fixes ? [repair, open] : [open];
}

function openWords(line: number): string {
  return line > 0 ? t('board.openAtLine', { line }) : t('board.open');
}

const READ_ONLY = t('board.readOnly');

const TITLES: Readonly<Partial<Record<FindingKind, string>>> = {
  'broken-note': READ_ONLY,
  'unclear-line': t('board.aLineSaysTwoThings'),
  'unknown-id': t('board.aPrerequisiteIsUnknown'),
  cycle: t('board.tasksWaitForEachOther'),
  'stray-review': t('board.aReviewThatNobodyWaitsFor'),
  'archived-twice': t('board.aTaskStandsTwice'),
  'shared-prefix': t('board.twoBoardsShareTheirIds'),
  'sync-copy': t('board.aSyncCopy'),
  'two-versions': t('board.aMergeKeptALine'),
};

/** One line that names the problem, and a text about what to do. */
export function findingWords(finding: Finding): { title: string; text: string } {
  const { kind, task, text: english, said: sentence, problem, archive } = finding;
  if (task !== undefined)
    return { title: t('board.twoVersionsOf', { title: task }), text: english };
  if (kind === 'duplicate-id' && sentence !== undefined) {
    const { task: name = '', second = '' } = sentence.values;
    return {
      title: said({ key: 'board.twoTasksAre', values: { name } }),
      text: said({ key: 'board.giveSecondANumber', values: { second } }),
    };
  }
  const reason = problem === undefined ? '' : problemWords(problem);
  const told = sentence === undefined ? reason || english : said(sentence);
  const text = archive === true ? t('board.archiveIsReadOnly', { reason }) : told;
  const title = TITLES[kind];
  return title === undefined ? { title: text, text: '' } : { title, text };
}

export function problemWords({ reason, said: sentence }: Problem): string {
  return sentence === undefined ? reason : said(sentence);
}

/** Shows why a board's note can't be written to, and where to fix it. */
export function RepairBanner(props: {
  readonly board: Board;
  readonly intents: Pick<Intents, 'open' | 'checkAgain'>;
}) {
  const { board, intents } = props;
  if (board.broken === null) return null;
  const { line } = board.broken;
  const text = problemWords(board.broken);
  const buttons = [
    { label: openWords(line), onClick: () => intents.open(board, undefined, false) },
    { label: t('board.checkAgain'), quiet: true, onClick: () => intents.checkAgain() },
  ];
  return (
    <div role="none">
      <Banner icon="lock" label={READ_ONLY} text={text} buttons={buttons} />
    </div>
  );
}
