import { useMemo } from 'preact/hooks';
import type { Block } from '../../core/session/transcript/block';
import { PermissionBlock, QuestionBlock, type AskMeans } from './ask-block';
import { BoardBlock } from './board-block';
import { clockTime } from './duration';
import { Markdown } from './markdown/markdown';
import { ThinkingBlock } from './thinking-block';
import { ToolBlock } from './tool-block';
import { TurnBlock, type TurnMeans } from './turn-block';

/** What blocks can do; the same object for as long as the view shows one session. */
export interface BlockMeans extends AskMeans, TurnMeans {
  /** Unfolds or folds a block. */
  readonly toggle: (key: string) => void;
}

export interface BlockViewProps {
  readonly block: Block;
  readonly id: string;
  /** whether it is unfolded */
  readonly open: boolean;
  /** the agent, where its words begin */
  readonly by: string | null;
  /** a request that still waits for the person */
  readonly pending: boolean;
  /** nothing follows it */
  readonly last: boolean;
  readonly means: BlockMeans;
}

/** One block of a transcript; drawn anew only when it changed. */
export function BlockView(props: BlockViewProps) {
  const { block, id, open, by, pending, last, means } = props;
  return useMemo(
    () => (
      <>
        {by !== null && (
          <div class="atb-talk-by">
            {by} · {clockTime(block.at)}
          </div>
        )}
        {content({ block, id, open, by, pending, last, means })}
      </>
    ),
    [block, id, open, by, pending, last, means],
  );
}

function content({ block, id, open, pending, last, means }: BlockViewProps) {
  const fold = { open, onToggle: () => means.toggle(id) };
  switch (block.kind) {
    case 'prompt':
      return (
        <div class="atb-talk-prompt">
          <div class="atb-talk-by">You · {clockTime(block.at)}</div>
          <div class="atb-talk-words" dir="auto">
            {block.text}
          </div>
        </div>
      );
    case 'text':
      return (
        <div class="atb-talk-text" data-live={block.live}>
          <Markdown text={block.text} live={block.live} />
          {block.partial === true && (
            <p class="atb-talk-note">The rest of this text was not heard.</p>
          )}
        </div>
      );
    case 'thinking':
      return <ThinkingBlock block={block} {...fold} />;
    case 'tool':
      return <ToolBlock block={block} {...fold} />;
    case 'board':
      return <BoardBlock block={block} {...fold} />;
    case 'permission':
      return <PermissionBlock block={block} pending={pending} means={means} />;
    case 'question':
      return <QuestionBlock block={block} pending={pending} means={means} />;
    case 'turn':
      return <TurnBlock block={block} last={last} means={means} />;
    case 'missed':
      return (
        <p class="atb-talk-note">Some text was missed while offline. This is the state now.</p>
      );
  }
}
