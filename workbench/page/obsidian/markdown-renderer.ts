import { Component } from 'obsidian-test-mocks/obsidian';
import { renderNote } from '../markdown/render-note';
import type { App } from './app';

export interface MarkdownPostProcessor {
  (el: HTMLElement, context: MarkdownContext): Promise<unknown> | void;
  sortOrder?: number;
}

/** The section of a note that an element was rendered from; lines count from 0. */
export interface MarkdownSection {
  readonly text: string;
  readonly lineStart: number;
  readonly lineEnd: number;
}

interface MarkdownContext {
  readonly docId: string;
  readonly sourcePath: string;
  readonly frontmatter: undefined;
  addChild(child: Component): void;
  getSectionInfo(el: HTMLElement): MarkdownSection | null;
}

export class MarkdownRenderChild extends Component {
  constructor(readonly containerEl: HTMLElement) {
    super();
  }
}

/** Renders markdown as the app's reading view does, then runs the post processors. */
export abstract class MarkdownRenderer extends MarkdownRenderChild {
  /** Text that a plugin renders is no section of a note, so the processors get none. */
  static render(
    app: App,
    markdown: string,
    el: HTMLElement,
    sourcePath: string,
    component: Component,
  ): Promise<void> {
    return renderSection(app, { markdown, el, sourcePath, component, section: null });
  }
}

export interface Rendering {
  readonly markdown: string;
  readonly el: HTMLElement;
  readonly sourcePath: string;
  readonly component: Component;
  readonly section: MarkdownSection | null;
}

export async function renderSection(
  app: App,
  { markdown, el, sourcePath, component, section }: Rendering,
): Promise<void> {
  renderNote(markdown, el);
  const context: MarkdownContext = {
    docId: '',
    sourcePath,
    frontmatter: undefined,
    addChild: (child) => void component.addChild(child),
    getSectionInfo: () => section,
  };
  const processors = [...app.postProcessors];
  processors.sort((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0));
  for (const process of processors) await process(el, context);
}
