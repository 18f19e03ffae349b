import { useContext, useMemo } from 'preact/hooks';
import type { Block, BlockOf } from '../../core/session/transcript/transcript';
import { PermissionBlock, QuestionBlock } from './ask-block';
import type { BlockActions } from './conversation-actions';
import { BoardBlock, COMPACTED_TEXT, TodosBlock, ToolBlock, type FoldState } from './tool-block';
import { durationWords, plainLine, timeOfDay } from '../ui/text';
import { readRunPrompt, type RunPromptInfo } from '../../core/orchestrator/run-prompt';
import { Icon } from '../ui/icon';
import { attachmentWords } from './drafts';
import { SentNotes, notesSentAlong } from './related-notes';
import { Markdown, MarkdownContext, NoteLinkView } from './markdown/markdown';
import { shownVerdict, type ShownVerdict } from '../../core/orchestrator/verdict';
import { Banner, Card, Disclosure } from '../ui/banner';
import { MessageTasks } from './suggested-tasks';
import { t, translated } from '../language/text';

interface BlockViewProps {
  readonly block: Block;
  /** what a call of `tasks` changed on the board */
  readonly board?: BlockOf<'board'> | undefined;
  readonly id: string;
  /** whether the block is unfolded */
  readonly open: boolean;
  /** name of the agent, if its text begins here */
  readonly agentName: string | null;
  /** whether the block is a request that still waits for the person */
  readonly pending: boolean;
  /** whether the block is the last one */
  readonly last: boolean;
  readonly actions: BlockActions;
  /** Unfolds or folds a block. */
  readonly onToggle: (key: string) => void;
}

/** One block of a transcript; redrawn only when it changed. */
export function BlockView(props: BlockViewProps) {
  const { block, board, id, open, agentName, pending, last, actions, onToggle } = props;
  return useMemo(
    () => (
      <>
        {agentName !== null && (
          <div class="atb-talk-by">
            {plainLine(agentName)} · {timeOfDay(block.at)}
          </div>
        )}
        {content(props)}
      </>
    ),
    [block, board, id, open, agentName, pending, last, actions, onToggle],
  );
}

function content({ block, board, id, open, pending, last, actions, onToggle }: BlockViewProps) {
  const fold = { open, onToggle: () => onToggle(id) };
  switch (block.kind) {
    case 'prompt': {
      const run = readRunPrompt(block.text);
      if (run === undefined) return <PromptBlock block={block} {...fold} />;
      return <RunPromptBlock block={block} run={run} {...fold} />;
    }
    case 'text':
      return <TextBlock block={block} id={id} />;
    case 'thinking':
      return <ThinkingBlock block={block} {...fold} />;
    case 'tool':
      return <ToolBlock {...{ block, board, actions }} {...fold} />;
    case 'board':
      return <BoardBlock block={block} {...fold} />;
    case 'permission':
      return <PermissionBlock block={block} pending={pending} actions={actions} />;
    case 'question':
      return <QuestionBlock block={block} pending={pending} actions={actions} />;
    case 'turn':
      return turnEnd(block, last, actions);
    case 'todos':
      return <TodosBlock block={block} {...fold} />;
    case 'compacted':
      return <CompactedBlock block={block} {...fold} />;
    case 'missed':
      return <p class="atb-talk-note">{t('conversation.someTextWasMissedWhileOffline')}</p>;
  }
}

/** A person's prompt, and what was sent along with it. */
function PromptBlock({ block, open, onToggle }: FoldState & { readonly block: BlockOf<'prompt'> }) {
  const { openNote } = useContext(MarkdownContext);
  const { text, attached: all = [] } = block;
  const along = notesSentAlong(all);
  const attached = all.filter((one) => !along.includes(one));
  return (
    <div class="atb-talk-prompt">
      <div class="atb-talk-by">{t('conversation.youAt', { time: timeOfDay(block.at) })}</div>
      <div class="atb-talk-words" dir="auto">
        {text}
      </div>
      {attached.length > 0 && (
        <div class="atb-talk-attached">
          <Icon name="paperclip" />
          <span>{t('conversation.attached')}</span>
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
      {along.length > 0 && (
        <Disclosure icon="library" name={sentWords(along)} {...{ open, onToggle }}>
          <SentNotes notes={along} />
        </Disclosure>
      )}
    </div>
  );
}

function sentWords({ length: count }: readonly unknown[]): string {
  return t('related.sent', { count });
}

/** A prompt that a run sent to an agent: its purpose, and the whole text when unfolded. */
function RunPromptBlock(props: FoldState & { block: BlockOf<'prompt'>; run: RunPromptInfo }) {
  const { block, run, open, onToggle } = props;
  const along = notesSentAlong(block.attached);
  const state = [
    ...(run.attempt === 1 ? [] : [t('conversation.attempt', { attempt: run.attempt })]),
    ...(along.length === 0 ? [] : [sentWords(along)]),
  ].join(' · ');
  return (
    <div class="atb-talk-prompt">
      <div class="atb-talk-by">{t('conversation.runAt', { time: timeOfDay(block.at) })}</div>
      <Disclosure
        {...{
          icon: 'goal',
          name: t(`runPrompt.${run.role}`),
          object: run.task,
          state,
          open,
          onToggle,
        }}
      >
        <Markdown text={block.text} live={false} />
        <SentNotes notes={along} />
      </Disclosure>
    </div>
  );
}

/** An agent's message; a verdict at its end is drawn as a card. */
function TextBlock({ block, id }: { readonly block: BlockOf<'text'>; readonly id: string }) {
  const { text, live, partial } = block;
  const verdict = live ? undefined : shownVerdict(text);
  const words = verdict?.before ?? text;
  return (
    <>
      <div class="atb-talk-text" data-live={live}>
        {(verdict === undefined || words !== '') && <Markdown text={words} live={live} />}
        {verdict !== undefined && <VerdictCard verdict={verdict} />}
        {partial === true && <p class="atb-talk-note">{t('conversation.restNotReceived')}</p>}
      </div>
      {verdict === undefined && <MessageTasks block={block} id={id} />}
    </>
  );
}

export function verdictTitle({ verdict }: Pick<ShownVerdict, 'verdict'>): string {
  return verdict === 'pass'
    ? t('conversation.theTaskPasses')
    : t('conversation.theTaskDoesNotPass');
}

export function criterionWords({ n, met, why }: ShownVerdict['criteria'][number]): string {
  const words = t(met ? 'conversation.criterionMet' : 'conversation.criterionNotMet', { n });
  return why === '' ? words : `${words}. ${why}`;
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
          <li key={one.n}>{criterionWords(one)}</li>
        ))}
      </ul>
    </Card>
  );
}

/** The agent's reasoning, folded. */
function ThinkingBlock({ block, ...fold }: FoldState & { readonly block: BlockOf<'thinking'> }) {
  const { text, live, at, ended } = block;
  const thought =
    ended !== undefined && ended > at
      ? t('conversation.thoughtFor', { time: durationWords(ended - at) })
      : t('conversation.thought');
  const icon = live ? 'spinner' : 'brain';
  return (
    <Disclosure {...{ icon, name: live ? t('conversation.thinking') : thought, ...fold }}>
      <div class="atb-talk-thinking">
        <Markdown text={text} live={live} />
      </div>
    </Disclosure>
  );
}

/** Marks where OpenCode replaced earlier messages by a summary, and shows the summary. */
function CompactedBlock({ block, ...fold }: FoldState & { readonly block: BlockOf<'compacted'> }) {
  const { summary = '' } = block;
  return (
    <>
      <p class="atb-talk-note">{COMPACTED_TEXT}</p>
      {summary !== '' && (
        <Disclosure
          {...{ icon: 'fold-vertical', name: t('conversation.whatRemained'), ...fold }}
          object={sizeWords(block)}
        >
          <Markdown text={summary} live={false} />
        </Disclosure>
      )}
    </>
  );
}

/** "142,000 tokens became 1,200" */
function sizeWords({ before, after }: BlockOf<'compacted'>): string | undefined {
  if (before === undefined || after === undefined) return undefined;
  return t('conversation.fromTo', { before, after });
}

/**
 * The end of a turn: nothing if it completed, else why it stopped.
 * @param last whether it is the last block; only then it offers to try again
 */
function turnEnd(block: BlockOf<'turn'>, last: boolean, { tryAgain, copy }: BlockActions) {
  if (block.reason === 'completed') return null;
  if (block.reason === 'interrupted')
    return <p class="atb-talk-note">{t('conversation.youStoppedThisTurn')}</p>;
  const { code, message } = block.error ?? {
    code: 'error',
    message: t('conversation.itDidNotSayWhy'),
  };
  const again = last ? [{ label: t('common.tryAgain'), onClick: tryAgain }] : [];
  const details = () => copy(`${code}: ${message}`);
  return (
    <Banner
      {...{ icon: 'circle-alert', tone: 'error', text: translated(message) }}
      label={t('conversation.turnFailedLabel')}
      title={t('conversation.turnFailed')}
      buttons={[...again, { label: t('conversation.copyDetails'), quiet: true, onClick: details }]}
    />
  );
}
