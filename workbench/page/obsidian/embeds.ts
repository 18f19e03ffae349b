import type { Component } from 'obsidian-test-mocks/obsidian';
import type { App } from './app';
import { renderSection } from './markdown-renderer';

/**
 * Fills the embeds of notes, headings and blocks, as the reading view does: with the app's classes
 * and the path of the embedded note. For a part of a note, the processors get no section, since the
 * app's behaviour is not documented.
 */
export async function fillEmbeds(
  app: App,
  el: HTMLElement,
  sourcePath: string,
  component: Component,
): Promise<void> {
  for (const place of el.querySelectorAll<HTMLElement>('.internal-embed[src]')) {
    const [link = '', part] = (place.getAttribute('src') ?? '').split('#');
    const file = app.metadataCache.getFirstLinkpathDest(link, sourcePath);
    if (file?.extension !== 'md') continue;
    const text = await app.vault.read(file);
    const markdown = part === undefined ? text : extractPart(text, part);
    if (markdown === undefined) continue;
    place.empty();
    place.addClasses(['markdown-embed', 'inline-embed', 'is-loaded']);
    if (part === undefined) place.createDiv({ cls: 'markdown-embed-title', text: file.basename });
    const content = place.createDiv({ cls: 'markdown-embed-content' });
    const shown = content.createDiv({ cls: 'markdown-preview-view markdown-rendered' });
    const sizer = shown.createDiv({ cls: 'markdown-preview-sizer markdown-preview-section' });
    const lineEnd = markdown.split('\n').length - 1;
    await renderSection(app, {
      ...{ markdown, el: sizer, sourcePath: file.path, component },
      section: part === undefined ? { text: markdown, lineStart: 0, lineEnd } : null,
    });
  }
}

/** The text below a heading, or a list item with a block id and its sub-items. */
function extractPart(text: string, part: string): string | undefined {
  const lines = text.split('\n');
  const isItem = part.startsWith('^');
  const at = lines.findIndex((line) =>
    isItem ? line.endsWith(` ${part}`) : /^#+ /.test(line) && line.replace(/^#+ /, '') === part,
  );
  if (at < 0) return undefined;
  const depth = (line: string) => (isItem ? /^\s*/.exec(line) : /^#*/.exec(line))?.[0].length ?? 0;
  const own = depth(lines[at] ?? '');
  const end = lines.findIndex((line, index) => {
    if (index <= at) return false;
    return isItem ? depth(line) <= own : depth(line) > 0 && depth(line) <= own;
  });
  const found = lines.slice(at, end < 0 ? undefined : end);
  return found.map((line) => (isItem ? line.slice(own) : line)).join('\n');
}
