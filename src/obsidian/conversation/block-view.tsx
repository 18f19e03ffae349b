import { useContext, useMemo } from 'preact/hooks';
import type { Block, BlockOf } from '../../core/session/transcript/transcript';
import { PermissionBlock, QuestionBlock, type AskActions } from './ask-block';
import { BoardBlock, COMPACTED, TodosBlock, ToolBlock } from './tool-block';
import { timeOfDay, durationWords } from '../ui/text';
import { readRunPrompt, type SeenPrompt } from '../../core/orchestrator/run-prompt';
import { Icon } from '../ui/icon';
import { attachmentWords } from './drafts';
import { Markdown, MarkdownContext, NoteLinkView } from './markdown/markdown';
import { shownVerdict, type ShownVerdict } from '../../core/orchestrator/verdict';
import { Banner, Card, Disclosure } from '../ui/banner';

/** What blocks can do; the same object for as long as the view shows one session. */
export interface BlockActions extends AskActions, TurnActions {
  readonly openSession: (sessionId: string) => void;
  /** Unfolds or folds a block. */
  readonly toggle: (key: string) => void;
}

interface BlockViewProps {
  readonly block: Block;
  /** what a call of `tasks` changed on the board */
  readonly board?: BlockOf<'board'> | undefined;
  readonly id: string;
  /** whether it is unfolded */
  readonly open: boolean;
  /** the agent, where its words begin */
  readonly by: string | null;
  /** a request that still waits for the person */
  readonly pending: boolean;
  /** nothing follows it */
  readonly last: boolean;
  readonly means: BlockActions;
}

/** One block of a transcript; drawn anew only when it changed. */
export function BlockView(props: BlockViewProps) {
  const { block, board, id, open, by, pending, last, means } = props;
  return useMemo(
    () => (
      <>
        {by !== null && (
          <div class="atb-talk-by">
            {by} · {timeOfDay(block.at)}
          </div>
        )}
        {content({ block, board, id, open, by, pending, last, means })}
      </>
    ),
    [block, board, id, open, by, pending, last, means],
  );
}

function content({ block, board, id, open, pending, last, means }: BlockViewProps) {
  const fold = { open, onToggle: () => means.toggle(id) };
  switch (block.kind) {
    case 'prompt': {
      const run = readRunPrompt(block.text);
      if (run === undefined) return <PromptBlock block={block} />;
      return <RunPromptBlock block={block} run={run} {...fold} />;
    }
    case 'text':
      return (
        <div class="atb-talk-text" data-live={block.live}>
          <TextOrVerdict block={block} />
          {block.partial === true && (
            <p class="atb-talk-note">The rest of this text was not received.</p>
          )}
        </div>
      );
    case 'thinking':
      return <ThinkingBlock block={block} {...fold} />;
    case 'tool':
      return <ToolBlock {...{ block, board, means }} {...fold} />;
    case 'board':
      return <BoardBlock block={block} {...fold} />;
    case 'permission':
      return <PermissionBlock block={block} pending={pending} means={means} />;
    case 'question':
      return <QuestionBlock block={block} pending={pending} means={means} />;
    case 'turn':
      return <TurnBlock block={block} last={last} means={means} />;
    case 'todos':
      return <TodosBlock block={block} {...fold} />;
    case 'compacted':
      return <p class="atb-talk-note">{COMPACTED}</p>;
    case 'missed':
      return (
        <p class="atb-talk-note">Some text was missed while offline. This is the state now.</p>
      );
  }
}

/** A person's words, and what they sent along with them. */
function PromptBlock({ block }: { readonly block: BlockOf<'prompt'> }) {
  const { openNote } = useContext(MarkdownContext);
  const { text, attached = [] } = block;
  return (
    <div class="atb-talk-prompt">
      <div class="atb-talk-by">You · {timeOfDay(block.at)}</div>
      <div class="atb-talk-words" dir="auto">
        {text}
      </div>
      {attached.length > 0 && (
        <div class="atb-talk-attached">
          <Icon name="paperclip" />
          <span>Attached:</span>
          {attached.map(({ kind, path }, index) => (
            <span key={index} title={path}>
              {path === undefined ? (
                attachmentWords({ kind })
              ) : (
                <NoteLinkView path={path} openNote={openNote}>
                  {attachmentWords({ kind, path })}
                </NoteLinkView>
              )}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

const PROMPT_WORDS: Readonly<Record<SeenPrompt['role'], string>> = {
  plan: 'Plan the goal',
  work: 'Do the task',
  check: 'Check the task',
};

/** What a run said to an agent: what for, and its whole text on request. */
function RunPromptBlock(props: {
  readonly block: BlockOf<'prompt'>;
  readonly run: SeenPrompt;
  readonly open: boolean;
  readonly onToggle: () => void;
}) {
  const { block, run, open, onToggle } = props;
  const state = run.attempt === 1 ? undefined : `Attempt ${run.attempt}`;
  return (
    <div class="atb-talk-prompt">
      <div class="atb-talk-by">Run · {timeOfDay(block.at)}</div>
      <Disclosure
        {...{ icon: 'goal', name: PROMPT_WORDS[run.role], object: run.task, state, open, onToggle }}
      >
        <Markdown text={block.text} live={false} />
      </Disclosure>
    </div>
  );
}

/** An agent's words; a verdict that ends them stands as one. */
function TextOrVerdict({ block }: { readonly block: BlockOf<'text'> }) {
  const verdict = block.live ? undefined : shownVerdict(block.text);
  if (verdict === undefined) return <Markdown text={block.text} live={block.live} />;
  return (
    <>
      {verdict.before !== '' && <Markdown text={verdict.before} live={false} />}
      <VerdictCard verdict={verdict} />
    </>
  );
}

export function verdictTitle({ verdict }: Pick<ShownVerdict, 'verdict'>): string {
  return verdict === 'pass' ? 'The task passes' : 'The task does not pass';
}

export function criterionWords({ n, met, why }: ShownVerdict['criteria'][number]): string {
  return `${n}: ${met ? 'met' : 'not met'}${why === '' ? '' : `. ${why}`}`;
}

function VerdictCard({ verdict }: { readonly verdict: ShownVerdict }) {
  const title = verdictTitle(verdict);
  const passes = verdict.verdict === 'pass';
  return (
    <Card
      name={title}
      icon={passes ? 'circle-check' : 'octagon-alert'}
      tone={passes ? 'plain' : 'error'}
    >
      <div>{title}</div>
      {verdict.result !== '' && <div class="atb-card-text">{verdict.result}</div>}
      <ul class="atb-verdict-list">
        {verdict.criteria.map((one) => (
          <li key={one.n}>Criterion {criterionWords(one)}</li>
        ))}
      </ul>
    </Card>
  );
}

/** The agent's reasoning, folded. */
function ThinkingBlock(props: {
  readonly block: BlockOf<'thinking'>;
  readonly open: boolean;
  readonly onToggle: () => void;
}) {
  const { text, live, at, ended } = props.block;
  const took = ended !== undefined && ended > at ? ` for ${durationWords(ended - at)}` : '';
  return (
    <Disclosure
      icon={live ? 'spinner' : 'brain'}
      name={live ? 'Thinking' : `Thought${took}`}
      open={props.open}
      onToggle={props.onToggle}
    >
      <div class="atb-talk-thinking">
        <Markdown text={text} live={live} />
      </div>
    </Disclosure>
  );
}

interface TurnActions {
  /** Says the person's last words once more. */
  readonly tryAgain: () => void;
  readonly copy: (text: string) => void;
}

/** The end of a turn: nothing where all went well, else why it stopped. */
function TurnBlock(props: {
  readonly block: BlockOf<'turn'>;
  /** only then it can be tried again */
  readonly last: boolean;
  readonly means: TurnActions;
}) {
  const { block, last, means } = props;
  if (block.reason === 'completed') return null;
  if (block.reason === 'interrupted') return <p class="atb-talk-note">You stopped this turn.</p>;
  const { code, message } = block.error ?? { code: 'error', message: 'It did not say why.' };
  const again = last ? [{ label: 'Try again', onClick: means.tryAgain }] : [];
  const copy = {
    label: 'Copy details',
    quiet: true,
    onClick: () => means.copy(`${code}: ${message}`),
  };
  return (
    <Banner
      icon="circle-alert"
      tone="error"
      label="The turn ended with an error"
      title="The turn ended with an error."
      text={message}
      buttons={[...again, copy]}
    />
  );
}
