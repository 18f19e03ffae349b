import { createContext, type ComponentChildren } from 'preact';
import { useContext, useMemo, useRef, useState } from 'preact/hooks';
import { IconButton } from '../../ui/icon';
import { linkTarget, readInline, type Inline } from './inline';
import { cutPieces, NO_PIECES, readBlocks, type ListItem, type MarkdownBlock } from './blocks';
import { t } from '../../language/text';

/** Actions of a message's links and images. */
export interface MarkdownActions {
  /** Opens a note of the vault. */
  readonly openNote: (path: string, newTab: boolean) => void;
  /** whether images from the web are loaded; otherwise they become links */
  readonly images: () => boolean;
  /** Puts text on the clipboard. */
  readonly copy: (text: string) => void;
}

export const MarkdownContext = createContext<MarkdownActions>({
  openNote: () => undefined,
  images: () => false,
  copy: () => undefined,
});

/** Most UTF-16 units of an unfinished piece that are parsed as Markdown in each frame. */
const MAX_PARSED_TAIL = 20_000;

/**
 * Draws Markdown with only the elements named in this file. No text of a message becomes an
 * attribute, except addresses that `linkTarget` accepted. Finished pieces are drawn once, however
 * much text follows.
 */
export function Markdown(props: { readonly text: string; readonly live: boolean }) {
  const pieces = useRef(NO_PIECES);
  pieces.current = cutPieces(props.text, pieces.current);
  const { closed, tail } = pieces.current;
  const plain = props.live && tail.length > MAX_PARSED_TAIL;
  return (
    <div class="atb-markdown markdown-rendered" dir="auto">
      {closed.map((text, index) => (
        <Piece key={index} text={text} />
      ))}
      {plain ? <pre>{tail}</pre> : <Piece key={closed.length} text={tail} />}
    </div>
  );
}

/** Draws one line of Markdown without an element around it. */
export function MarkdownLine({ text }: { readonly text: string }) {
  const { openNote, copy } = useContext(MarkdownContext);
  return <>{textNodes(text, { openNote, copy, images: false })}</>;
}

function Piece({ text }: { readonly text: string }) {
  const { openNote, images, copy } = useContext(MarkdownContext);
  const withImages = images();
  return useMemo(() => {
    const options = { openNote, copy, images: withImages };
    return <>{readBlocks(text).map((block) => blockNode(block, options))}</>;
  }, [text, openNote, copy, withImages]);
}

type DrawOptions = Omit<MarkdownActions, 'images'> & { readonly images: boolean };

function blockNode(block: MarkdownBlock, options: DrawOptions): ComponentChildren {
  switch (block.kind) {
    case 'paragraph':
      return <p>{textNodes(block.text, options)}</p>;
    case 'heading': {
      const Tag = `h${block.level}` as 'h1';
      return <Tag>{textNodes(block.text, options)}</Tag>;
    }
    case 'code':
      return (
        <div class="atb-code">
          <div class="atb-code-head">
            {block.info !== '' && <span class="atb-code-info">{block.info}</span>}
            <IconButton
              icon="copy"
              label={t('conversation.copyCode')}
              onClick={() => options.copy(block.text)}
            />
          </div>
          <pre>
            <code>{block.text}</code>
          </pre>
        </div>
      );
    case 'rule':
      return <hr />;
    case 'quote':
      return <blockquote>{block.blocks.map((one) => blockNode(one, options))}</blockquote>;
    case 'list': {
      const items = block.items.map((item) => itemNode(item, options));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case 'table':
      return <table>{tableNodes(block.rows, options)}</table>;
  }
}

/** Draws paragraphs of an item without an element around them, as in a list without blank lines. */
function itemNode({ task, blocks }: ListItem, options: DrawOptions): ComponentChildren {
  const nodes = blocks.map((block) =>
    block.kind === 'paragraph' ? textNodes(block.text, options) : blockNode(block, options),
  );
  if (task === null) return <li>{nodes}</li>;
  return <TaskItem done={task} words={nodes[0]} below={nodes.slice(1)} />;
}

/** A checkbox labelled by the item's text; the tasks below it have labels of their own. */
function TaskItem(props: { done: boolean; words: ComponentChildren; below: ComponentChildren }) {
  const [id] = useState(() => `atb-${crypto.randomUUID()}`);
  return (
    <li class="task-list-item">
      <input
        type="checkbox"
        class="task-list-item-checkbox"
        checked={props.done}
        disabled
        aria-labelledby={id}
      />
      <div class="atb-box-words" id={id}>
        {props.words}
      </div>
      {props.below}
    </li>
  );
}

function tableNodes(
  [head = [], ...body]: readonly Cells[],
  options: DrawOptions,
): ComponentChildren {
  const row = (Tag: 'th' | 'td', cells: Cells) => (
    <tr>
      {cells.map((cell) => (
        <Tag>{textNodes(cell, options)}</Tag>
      ))}
    </tr>
  );
  return (
    <>
      <thead>{row('th', head)}</thead>
      <tbody>{body.map((cells) => row('td', cells))}</tbody>
    </>
  );
}

type Cells = readonly string[];

function textNodes(text: string, options: DrawOptions): ComponentChildren {
  return readInline(text).map((inline) => inlineNode(inline, options));
}

function inlineNode(inline: Inline, options: DrawOptions): ComponentChildren {
  if (typeof inline === 'string') return inline;
  switch (inline.kind) {
    case 'break':
      return <br />;
    case 'code':
      return <code>{inline.text}</code>;
    case 'link':
      return linkNode(inline.address, inlineNodes(inline.children, options), options);
    case 'image':
      return imageNode(inline.address, inline.alt, options);
    case 'em':
    case 'strong':
    case 'del':
    case 'mark': {
      const Tag = inline.kind;
      return <Tag>{inlineNodes(inline.children, options)}</Tag>;
    }
  }
}

function inlineNodes(inlines: readonly Inline[], options: DrawOptions): ComponentChildren {
  return inlines.map((one) => inlineNode(one, options));
}

function linkNode(
  address: string,
  words: ComponentChildren,
  options: DrawOptions,
): ComponentChildren {
  const target = linkTarget(address);
  if (target.kind === 'web') {
    return (
      <a class="external-link" href={target.href} target="_blank" rel="noopener nofollow">
        {words}
      </a>
    );
  }
  if (target.kind === 'none') return [words, ` (${address})`];
  return (
    <NoteLinkView path={target.path} openNote={options.openNote}>
      {words}
    </NoteLinkView>
  );
}

/** Opens a note; in a new tab with Ctrl or ⌘. */
export function NoteLinkView(props: {
  readonly path: string;
  readonly openNote: MarkdownActions['openNote'];
  readonly children: ComponentChildren;
}) {
  const open = (event: MouseEvent | KeyboardEvent) => {
    event.preventDefault();
    props.openNote(props.path, event.ctrlKey || event.metaKey);
  };
  return (
    <a
      class="internal-link"
      role="link"
      tabIndex={0}
      onClick={open}
      onKeyDown={(event) => event.key === 'Enter' && open(event)}
    >
      {props.children}
    </a>
  );
}

function imageNode(address: string, alt: string, options: DrawOptions): ComponentChildren {
  const target = linkTarget(address);
  const words = alt === '' ? address : alt;
  if (target.kind !== 'web' || !options.images || !target.href.startsWith('https:')) {
    return linkNode(address, words, options);
  }
  return <img src={target.href} alt={alt} loading="lazy" referrerpolicy="no-referrer" />;
}
