import { Component } from 'obsidian-test-mocks/obsidian';
import { renderNote } from '../markdown/render-note';
import type { App } from './app';

export interface MarkdownPostProcessor {
  (el: HTMLElement, context: MarkdownContext): Promise<unknown> | void;
  sortOrder?: number;
}

interface MarkdownContext {
  readonly docId: string;
  readonly sourcePath: string;
  readonly frontmatter: undefined;
  addChild(child: Component): void;
  getSectionInfo(el: HTMLElement): null;
}

export class MarkdownRenderChild extends Component {
  constructor(readonly containerEl: HTMLElement) {
    super();
  }
}

/** Writes markdown as the app's reading mode does, then lets the post processors at it. */
export abstract class MarkdownRenderer extends MarkdownRenderChild {
  static async render(
    app: App,
    markdown: string,
    el: HTMLElement,
    sourcePath: string,
    component: Component,
  ): Promise<void> {
    renderNote(markdown, el);
    const context: MarkdownContext = {
      docId: '',
      sourcePath,
      frontmatter: undefined,
      addChild: (child) => void component.addChild(child),
      getSectionInfo: () => null,
    };
    const processors = [...app.postProcessors];
    processors.sort((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0));
    for (const process of processors) await process(el, context);
  }
}
