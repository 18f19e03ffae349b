import { load } from 'js-yaml';
import type { BasesConfigFile, BasesViewRegistration } from 'obsidian';
import type { TFile } from 'obsidian-test-mocks/obsidian';
import { Component } from 'obsidian-test-mocks/obsidian';
import type { App } from './app';
import { FileView } from './file-view';

/** A note that a base found. */
interface Entry {
  readonly file: TFile;
}

/** Base class of a plugin's view of a base; the app sets the fields before it calls `onDataUpdated`. */
export abstract class BasesView extends Component {
  app!: App;
  config!: BaseConfig;
  allProperties: string[] = [];
  data: { readonly data: readonly Entry[] } = { data: [] };

  constructor(_controller: unknown) {
    super();
  }

  abstract type: string;
  abstract onDataUpdated(): void;
}

/** One entry of `views` in the file; holds what a view sets. */
class BaseConfig {
  constructor(
    readonly name: string,
    private readonly values: Record<string, unknown>,
    private readonly save: () => void,
  ) {}

  get(key: string): unknown {
    return this.values[key];
  }

  set(key: string, value: unknown): void {
    this.values[key] = value;
    this.save();
  }
}

/** A `.base` file in its first view. The only supported filter is `file.inFolder("…")`. */
export class BaseFileView extends FileView {
  override icon = 'table';
  #view: BasesView | undefined;

  getViewType(): string {
    return 'bases';
  }

  override canAcceptExtension(extension: string): boolean {
    return extension === 'base';
  }

  override async onLoadFile(file: TFile): Promise<void> {
    const base = load(await this.app.vault.read(file)) as BasesConfigFile;
    const [wanted] = base.views ?? [];
    const registration = this.app.basesViews.get(wanted?.type ?? '');
    if (wanted === undefined || registration === undefined) {
      return this.contentEl.setText('This view is not there.');
    }
    const element = this.contentEl.createDiv({ cls: 'bases-view' });
    const view = createView(registration, element);
    view.app = this.app;
    view.config = new BaseConfig(wanted.name, wanted as never, () => undefined);
    this.#view = this.addChild(view);
    const folder = /file\.inFolder\("([^"]*)"\)/.exec(
      JSON.stringify(base.filters).replaceAll('\\"', '"'),
    );
    const update = (): void => {
      const all = this.app.vault.getMarkdownFiles();
      const found = all.filter(({ path }) => path.startsWith(`${folder?.[1] ?? ''}/`));
      view.data = { data: found.map((one) => ({ file: one })) };
      view.onDataUpdated();
    };
    this.registerEvent(this.app.metadataCache.on('resolved', update));
    update();
  }

  override onUnloadFile(): Promise<void> {
    if (this.#view !== undefined) this.removeChild(this.#view);
    this.contentEl.empty();
    return Promise.resolve();
  }
}

function createView({ factory }: BasesViewRegistration, element: HTMLElement): BasesView {
  const view: unknown = factory({} as never, element);
  if (view instanceof BasesView) return view;
  throw new Error('A view of a base extends BasesView.');
}
