import type { App } from '../../workbench/page/obsidian/app';
import type { ItemView } from '../../workbench/page/obsidian/item-view';
import type { MarkdownRenderer } from '../../workbench/page/obsidian/markdown-renderer';
import type { Menu } from '../../workbench/page/obsidian/menu';
import type { Platform } from '../../workbench/page/obsidian/platform';
import type { Plugin } from '../../workbench/page/obsidian/plugin';
import type { WorkbenchApi } from '../../workbench/page/workbench-api';

/** What the fixture plugin puts on the window for tests. */
export interface FixtureModules {
  readonly MarkdownRenderer: typeof MarkdownRenderer;
  readonly Menu: typeof Menu;
  readonly Platform: typeof Platform;
  readonly ItemView: typeof ItemView;
  readonly FixtureView: typeof ItemView;
  readonly setIcon: (el: HTMLElement, icon: string) => void;
  readonly requireApiVersion: (version: string) => boolean;
  readonly require: (name: string) => Record<string, unknown>;
}

declare global {
  interface Window {
    app: App;
    workbench: WorkbenchApi;
    fixture: Plugin & {
      readonly events: string[];
      readonly layoutReady: boolean;
      readonly status: HTMLElement;
    };
    fixtureModules: FixtureModules;
    fixtureClosed: string[];
  }
}
