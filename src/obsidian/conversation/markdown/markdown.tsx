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
const LONG_TAIL = 20_000;

/**
 * Draws Markdown with only the elements named in this file. No text of a message becomes an
 * attribute, except addresses that `linkTarget` accepted. Finished pieces are drawn once, however
 * much text follows.
 */
export function Markdown(props: { readonly text: string; readonly live: boolean }) {
  const pieces = useRef(NO_PIECES);
  pieces.current = cutPieces(props.text, pieces.current);
  const { closed, tail } = pieces.current;
  const plain = props.live && tail.length > LONG_TAIL;
  return (
    <div class="atb-markdown markdown-rendered" dir="auto">
      {closed.map((text, index) => (
        <Piece key={index} text={text} />
      ))}
      {plain ? <pre>{tail}</pre> : <Piece key={closed.length} text={tail} />}
    </div>
  );
}

function Piece({ text }: { readonly text: string }) {
  const { openNote, images, copy } = useContext(MarkdownContext);
  const withImages = images();
  return useMemo(() => {
    const draw = { openNote, copy, images: withImages };
    return <>{readBlocks(text).map((block) => blockNode(block, draw))}</>;
  }, [text, openNote, copy, withImages]);
}

type Means = Omit<MarkdownActions, 'images'> & { readonly images: boolean };

function blockNode(block: MarkdownBlock, draw: Means): ComponentChildren {
  switch (block.kind) {
    case 'paragraph':
      return <p>{inlines(block.text, draw)}</p>;
    case 'heading': {
      const Tag = `h${block.level}` as 'h1';
      return <Tag>{inlines(block.text, draw)}</Tag>;
    }
    case 'code':
      return (
        <div class="atb-code">
          <div class="atb-code-head">
            {block.info !== '' && <span class="atb-code-info">{block.info}</span>}
            <IconButton
              icon="copy"
              label={t('conversation.copyCode')}
              onClick={() => draw.copy(block.text)}
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
      return <blockquote>{block.blocks.map((one) => blockNode(one, draw))}</blockquote>;
    case 'list': {
      const items = block.items.map((item) => itemNode(item, draw));
      return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
    }
    case 'table':
      return <table>{tableNodes(block.rows, draw)}</table>;
  }
}

/** Draws paragraphs of an item without an element around them, as in a list without blank lines. */
function itemNode({ task, blocks }: ListItem, draw: Means): ComponentChildren {
  const nodes = blocks.map((block) =>
    block.kind === 'paragraph' ? inlines(block.text, draw) : blockNode(block, draw),
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

function tableNodes([head = [], ...body]: readonly Cells[], draw: Means): ComponentChildren {
  const row = (Tag: 'th' | 'td', cells: Cells) => (
    <tr>
      {cells.map((cell) => (
        <Tag>{inlines(cell, draw)}</Tag>
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

function inlines(text: string, draw: Means): ComponentChildren {
  return readInline(text).map((inline) => inlineNode(inline, draw));
}

function inlineNode(inline: Inline, draw: Means): ComponentChildren {
  if (typeof inline === 'string') return inline;
  switch (inline.kind) {
    case 'break':
      return <br />;
    case 'code':
      return <code>{inline.text}</code>;
    case 'link':
      return linkNode(inline.address, all(inline.children, draw), draw);
    case 'image':
      return imageNode(inline.address, inline.alt, draw);
    case 'em':
    case 'strong':
    case 'del':
    case 'mark': {
      const Tag = inline.kind;
      return <Tag>{all(inline.children, draw)}</Tag>;
    }
  }
}

function all(inlines: readonly Inline[], draw: Means): ComponentChildren {
  return inlines.map((one) => inlineNode(one, draw));
}

function linkNode(address: string, words: ComponentChildren, draw: Means): ComponentChildren {
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
    <NoteLinkView path={target.path} openNote={draw.openNote}>
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

function imageNode(address: string, alt: string, draw: Means): ComponentChildren {
  const target = linkTarget(address);
  const words = alt === '' ? address : alt;
  if (target.kind !== 'web' || !draw.images || !target.href.startsWith('https:')) {
    return linkNode(address, words, draw);
  }
  return <img src={target.href} alt={alt} loading="lazy" referrerpolicy="no-referrer" />;
}
