import { SuggestModal, type App } from 'obsidian';
import { blockKey } from '../../core/session/transcript/block';
import type { Hit } from '../../core/session/store/search-sessions';

export interface SessionSearchDeps {
  readonly search: (text: string, givenUp: () => boolean) => Promise<readonly Hit[]>;
  readonly open: (sessionId: string, blockKey?: string) => void;
}

/** Finds words in all sessions, as they are typed, and opens the place. */
export class SessionSearch extends SuggestModal<Hit> {
  private searches = 0;

  constructor(
    app: App,
    private readonly deps: SessionSearchDeps,
  ) {
    super(app);
    this.setPlaceholder('Search in all sessions');
    this.emptyStateText = 'No session says this.';
  }

  /** A search that another one overtook is given up. */
  override async getSuggestions(text: string): Promise<Hit[]> {
    const own = ++this.searches;
    return [...(await this.deps.search(text, () => own !== this.searches))];
  }

  override renderSuggestion({ title, block, excerpt }: Hit, element: HTMLElement): void {
    element.createDiv({ text: block === undefined ? title : excerpt });
    if (block !== undefined) element.createEl('small', { cls: 'atb-quiet', text: title });
  }

  override onChooseSuggestion({ sessionId, block }: Hit): void {
    this.deps.open(sessionId, block && blockKey(block));
  }
}
