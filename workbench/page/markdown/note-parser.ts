import {
  Autolink,
  parser as commonmark,
  Strikethrough,
  Table,
  type InlineContext,
  type MarkdownConfig,
} from '@lezer/markdown';

/** Parses `open … close` on one line as one node with raw text. */
function delimitedNode(name: string, open: string, close: string, before?: string): MarkdownConfig {
  return {
    defineNodes: [name],
    parseInline: [
      {
        name,
        before: before ?? 'Link',
        parse(context: InlineContext, _next: number, at: number): number {
          const text = context.slice(at, context.end);
          if (!text.startsWith(open)) return -1;
          const end = text.indexOf(close, open.length);
          if (end <= open.length) return -1;
          return context.addElement(context.elt(name, at, at + end + close.length));
        },
      },
    ],
  };
}

/** The app's extensions of CommonMark, except tasks, which the renderer derives from list items. */
export const noteParser = commonmark.configure([
  Table,
  Strikethrough,
  Autolink,
  delimitedNode('WikiEmbed', '![[', ']]', 'Image'),
  delimitedNode('WikiLink', '[[', ']]'),
  delimitedNode('Highlight', '==', '=='),
  delimitedNode('Comment', '%%', '%%'),
]);
