import type { App } from 'obsidian';
import type { ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import type { ChangeRecord } from '../../core/board/history/change-record';
import { checkTitle } from '../../core/board/note/title';
import type { Op } from '../../core/board/op';
import type { Board, ReviewMode, Task } from '../../core/board/task';
import { auditStatusOf, type CallRow } from '../../core/permission/audit/audit-rows';
import { useAudit, type AuditSource } from '../audit/audit-source';
import { detailTitle, endingWords, visibleNoteName } from '../audit/audit-words';
import type { NoteChanges } from '../audit/note-changes';
import { MarkdownContext, MarkdownLine, NoteLinkView } from '../conversation/markdown/markdown';
import { askForText, openForm, pick } from '../ui/dialog';
import { DiffLines } from '../ui/diff-view';
import { Field } from '../ui/fields';
import { Button } from '../ui/icon';
import { leadsToNote } from '../ui/open-view';
import { plainLine, shortTime } from '../ui/text';
import { textDiff, type DiffLine } from '../ui/text-diff';
import type { BoardActions } from './board-actions';
import { collectEvidence, monthToRead, type Evidence } from './review-evidence';
import { t } from '../language/text';

/** What the person does in the dialog about a task that waits for review. */
type ReviewAnswer =
  | { readonly kind: 'accept' }
  | { readonly kind: 'send back'; readonly words: string }
  /** looks at a note first */
  | { readonly kind: 'open'; readonly link: string; readonly newTab: boolean };

interface ReviewDeps {
  readonly app: App;
  readonly audit: AuditSource;
  readonly changes: Pick<NoteChanges, 'look'>;
  /** changes of a board, oldest first */
  readonly records: (path: string) => Promise<readonly ChangeRecord[]>;
  readonly now: () => number;
}

/** What is missing, as far as it is typed. */
interface Draft {
  readonly words: string;
  readonly keep: (words: string) => void;
}

/** Shows the evidence for a task; resolves to undefined if the person did not decide. */
function reviewTask(
  deps: ReviewDeps,
  board: Board,
  task: Task,
  draft: Draft,
): Promise<ReviewAnswer | undefined> {
  const title = t('board.reviewTitle', { title: plainLine(task.title) });
  return openForm<ReviewAnswer>(
    deps.app,
    title,
    (done) => <Review {...{ deps, board, task, draft }} onDone={done} />,
    true,
  );
}

/** Why a text can't be sent back with a task; undefined if it can. */
function wordsProblem(words: string): string | undefined {
  const checked = checkTitle(words, 'text');
  return checked.ok ? undefined : t('board.sayItInOneLine');
}

function Review(props: {
  readonly deps: ReviewDeps;
  readonly board: Board;
  readonly task: Task;
  readonly draft: Draft;
  readonly onDone: (answer: ReviewAnswer) => void;
}) {
  const { deps, board, task, draft, onDone } = props;
  const evidence = useEvidence(deps, board, task);
  const plain = useContext(MarkdownContext);
  const [words, setWords] = useState(draft.words);
  const problem = words.trim() === '' ? undefined : wordsProblem(words);
  const ready = words.trim() !== '' && problem === undefined;
  const sendBack = () => ready && onDone({ kind: 'send back', words: words.trim() });
  const openNote = (link: string, newTab: boolean) => {
    if (leadsToNote(deps.app, link, board.path)) onDone({ kind: 'open', link, newTab });
  };
  return (
    <div class="atb-review">
      <MarkdownContext.Provider value={{ ...plain, openNote }}>
        <TaskEvidence {...evidence} />
        <AuditEvidence {...{ deps, evidence }} />
      </MarkdownContext.Provider>
      <Field
        name={t('board.whatIsMissing')}
        words={t('board.whereItGoes')}
        {...(problem !== undefined && { problem })}
      >
        <input
          type="text"
          value={words}
          aria-invalid={problem !== undefined}
          onInput={({ currentTarget: { value } }) => {
            setWords(value);
            draft.keep(value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return;
            event.preventDefault();
            sendBack();
          }}
        />
      </Field>
      <div class="modal-button-container">
        <Button kind="cta" words={t('common.accept')} onClick={() => onDone({ kind: 'accept' })} />
        <Button words={t('board.sendBack')} disabled={!ready} onClick={sendBack} />
      </div>
    </div>
  );
}

/** The evidence so far; reads the history, and the audit back to when the task was started. */
function useEvidence(
  { audit, records }: ReviewDeps,
  board: Board,
  task: Task,
): Evidence & { readonly loading: boolean; readonly problem: string | undefined } {
  const { page, loading, problem } = useAudit(audit);
  const [known, setKnown] = useState<readonly ChangeRecord[] | undefined>(undefined);
  useLayoutEffect(() => void records(board.path).then(setKnown), [board.path]);
  const evidence = useMemo(
    () => collectEvidence(board, task, known ?? [], page.rows),
    [board, task, known, page.rows],
  );
  const month = monthToRead(evidence.since, page);
  useLayoutEffect(() => {
    if (month !== undefined && loading === undefined) void audit.load(month);
  }, [month, loading]);
  return { ...evidence, problem, loading: known === undefined || loading !== undefined };
}

/** From the task's text: success criteria, results, and what was missing before. */
function TaskEvidence({ success, results, sentBack }: Evidence) {
  const items = (texts: readonly string[]) =>
    texts.map((text, at) => (
      <li key={at}>
        <MarkdownLine text={plainLine(text)} />
      </li>
    ));
  return (
    <>
      <Section
        title={t('board.mustBeTrue')}
        count={success.length}
        empty={t('board.theTaskNamesNothing')}
      >
        {items(success)}
      </Section>
      <Section
        title={t('board.whatCameOfIt')}
        count={results.length}
        empty={t('board.theAgentNotedNoResult')}
      >
        {items(results)}
      </Section>
      {sentBack.length > 0 && (
        <Section title={t('board.youSentItBackBefore')} count={sentBack.length} empty="">
          {items(sentBack)}
        </Section>
      )}
    </>
  );
}

/** Most calls that are listed; the audit has the rest. */
const MAX_CALLS = 30;

/** What was done since the task was started. */
function AuditEvidence(props: {
  readonly deps: ReviewDeps;
  readonly evidence: ReturnType<typeof useEvidence>;
}) {
  const { deps, evidence } = props;
  const { changes, calls, since, loading, problem } = evidence;
  if (problem !== undefined) return <p class="atb-problem">{problem}</p>;
  const time = since === undefined ? undefined : shortTime(since, deps.now());
  const none = loading ? t('board.readingTheAudit') : undefined;
  const changed =
    time === undefined ? t('board.notesItChanged') : t('board.notesItChangedSince', { time });
  const did =
    time === undefined ? t('board.whatElseItDid') : t('board.whatElseItDidSince', { time });
  return (
    <>
      <Section title={changed} count={changes.length} empty={none ?? t('board.noNotes')}>
        {changes.slice(0, MAX_CALLS).map((row) => (
          <Change key={row.key} {...{ row, deps }} />
        ))}
        <More count={changes.length - MAX_CALLS} />
      </Section>
      <Section title={did} count={calls.length} empty={none ?? t('board.nothingThatTheAuditHas')}>
        {calls.slice(0, MAX_CALLS).map((row) => (
          <li key={row.key}>{callWords(row, deps.now())}</li>
        ))}
        <More count={calls.length - MAX_CALLS} />
      </Section>
    </>
  );
}

function callWords(row: CallRow, now: number): string {
  const { word } = endingWords(
    row,
    auditStatusOf(row, () => false),
  );
  return `${detailTitle(row)} · ${word} · ${shortTime(row.at, now)}`;
}

function More({ count }: { readonly count: number }) {
  return count > 0 ? <li>{t('board.andMoreInTheAudit', { count })}</li> : null;
}

/** One change of a note; its diff is looked up when it is unfolded. */
function Change({ row, deps }: { readonly row: CallRow; readonly deps: ReviewDeps }) {
  const [lines, setLines] = useState<readonly DiffLine[] | 'unknown' | undefined>(undefined);
  const look = async () => {
    const { texts } = await deps.changes.look(row);
    setLines(texts === undefined ? 'unknown' : textDiff(texts.before, texts.after));
  };
  const { path = '' } = row.intent;
  const { openNote } = useContext(MarkdownContext);
  return (
    <li>
      <details
        onToggle={({ currentTarget: { open } }) => {
          if (open && lines === undefined) void look();
        }}
      >
        <summary>{callWords(row, deps.now())}</summary>
        <NoteLinkView {...{ path, openNote }}>{t('audit.openNote')}</NoteLinkView>
        {lines === 'unknown' && <p>{t('board.textNotKept')}</p>}
        {typeof lines === 'object' && (
          <DiffLines
            lines={lines}
            name={t('board.changeToName', { name: visibleNoteName(path) })}
          />
        )}
      </details>
    </li>
  );
}

function Section(props: {
  readonly title: string;
  readonly count: number;
  /** text if there is nothing */
  readonly empty: string;
  readonly children: ComponentChildren;
}) {
  const { title, count, empty, children } = props;
  return (
    <section class="atb-review-part">
      <h4>{title}</h4>
      {count > 0 ? <ul>{children}</ul> : <p>{empty}</p>}
    </section>
  );
}

/** Reviews of tasks by the person. */
export class Reviews {
  /** what was typed about tasks that were neither accepted nor sent back since */
  private readonly typed = new Map<string, string>();

  constructor(
    private readonly deps: ReviewDeps,
    private readonly actions: BoardActions,
  ) {}

  /** Shows the evidence and carries out the person's decision. */
  async open(board: Board, task: Task): Promise<void> {
    const id = draftId(board, task);
    const answer = await reviewTask(this.deps, board, task, {
      words: this.typed.get(id) ?? '',
      keep: (words) => void this.typed.set(id, words),
    });
    if (answer?.kind === 'accept') await this.accept(board, task);
    if (answer?.kind === 'send back') await this.sendWords(board, task, answer.words);
    if (answer?.kind === 'open') {
      const leaf = answer.newTab ? 'tab' : false;
      await this.deps.app.workspace.openLinkText(answer.link, board.path, leaf);
    }
  }

  async accept(board: Board, task: Task): Promise<void> {
    if (await this.actions.accept(board, task)) this.typed.delete(draftId(board, task));
  }

  /** Asks what is missing, and sends the task back. @param also operations for the same change */
  async sendBack(board: Board, task: Task, also?: readonly Op[]): Promise<void> {
    const words = await askForText(this.deps.app, {
      ...{
        title: t('board.sendBackTitle', { title: plainLine(task.title) }),
        placeholder: t('board.whatIsMissing'),
      },
      ...{ yes: t('board.sendBack'), check: wordsProblem },
    });
    if (words !== undefined) await this.sendWords(board, task, words, also);
  }

  private async sendWords(board: Board, task: Task, words: string, also?: readonly Op[]) {
    const sent = await this.actions.sendBack(board, task, words, also);
    if (sent) this.typed.delete(draftId(board, task));
  }

  /** Asks which tasks of a plan wait for review when an agent completes them. */
  async choose(board: Board): Promise<void> {
    const choices = REVIEW_CHOICES.map(([value, text]) => ({
      text: value === board.review ? t('board.textAsNow', { text }) : text,
      value: { mode: value },
    }));
    const chosen = await pick(
      this.deps.app,
      choices,
      t('board.whichTasksDoYouReview', { title: board.title }),
    );
    if (chosen !== undefined) await this.actions.chooseReviews(board, chosen.mode);
  }
}

function draftId({ path }: Board, { key }: Task): string {
  return `${path}\n${key}`;
}

const REVIEW_CHOICES: readonly (readonly [ReviewMode | undefined, string])[] = [
  [undefined, t('board.reviewNone')],
  ['success', t('board.reviewSuccess')],
  ['all', t('board.reviewAll')],
];
