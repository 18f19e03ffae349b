import { useContext, useMemo } from 'preact/hooks';
import type { Block, BlockOf } from '../../core/session/transcript/transcript';
import { PermissionBlock, QuestionBlock } from './ask-block';
import type { BlockActions } from './conversation-actions';
import { BoardBlock, COMPACTED, TodosBlock, ToolBlock, type Fold } from './tool-block';
import { timeOfDay, durationWords } from '../ui/text';
import { readRunPrompt, type SeenPrompt } from '../../core/orchestrator/run-prompt';
import { Icon } from '../ui/icon';
import { attachmentWords } from './drafts';
import { Markdown, MarkdownContext, NoteLinkView } from './markdown/markdown';
import { shownVerdict, type ShownVerdict } from '../../core/orchestrator/verdict';
import { Banner, Card, Disclosure } from '../ui/banner';

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
  /** Unfolds or folds a block. */
  readonly onToggle: (key: string) => void;
}

/** One block of a transcript; drawn anew only when it changed. */
export function BlockView(props: BlockViewProps) {
  const { block, board, id, open, by, pending, last, means, onToggle } = props;
  return useMemo(
    () => (
      <>
        {by !== null && (
          <div class="atb-talk-by">
            {by} · {timeOfDay(block.at)}
          </div>
        )}
        {content(props)}
      </>
    ),
    [block, board, id, open, by, pending, last, means, onToggle],
  );
}

function content({ block, board, id, open, pending, last, means, onToggle }: BlockViewProps) {
  const fold = { open, onToggle: () => onToggle(id) };
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
      return turnEnd(block, last, means);
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
function RunPromptBlock(props: Fold & { block: BlockOf<'prompt'>; run: SeenPrompt }) {
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
      {...{ name: title, tone: passes ? 'plain' : 'error' }}
      icon={passes ? 'circle-check' : 'octagon-alert'}
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
function ThinkingBlock({ block, ...fold }: Fold & { readonly block: BlockOf<'thinking'> }) {
  const { text, live, at, ended } = block;
  const took = ended !== undefined && ended > at ? ` for ${durationWords(ended - at)}` : '';
  const icon = live ? 'spinner' : 'brain';
  return (
    <Disclosure {...{ icon, name: live ? 'Thinking' : `Thought${took}`, ...fold }}>
      <div class="atb-talk-thinking">
        <Markdown text={text} live={live} />
      </div>
    </Disclosure>
  );
}

/**
 * The end of a turn: nothing where all went well, else why it stopped.
 * @param last only then it can be tried again
 */
function turnEnd(block: BlockOf<'turn'>, last: boolean, { tryAgain, copy }: BlockActions) {
  if (block.reason === 'completed') return null;
  if (block.reason === 'interrupted') return <p class="atb-talk-note">You stopped this turn.</p>;
  const { code, message } = block.error ?? { code: 'error', message: 'It did not say why.' };
  const again = last ? [{ label: 'Try again', onClick: tryAgain }] : [];
  const details = () => copy(`${code}: ${message}`);
  return (
    <Banner
      {...{ icon: 'circle-alert', tone: 'error', text: message }}
      label="The turn ended with an error"
      title="The turn ended with an error."
      buttons={[...again, { label: 'Copy details', quiet: true, onClick: details }]}
    />
  );
}
