import type { SearchResult } from 'obsidian';
import { prepareFuzzySearch, renderResults } from './fuzzy-search';
import { SuggestModal } from './suggest-modal';

export interface FuzzyMatch<T> {
  readonly item: T;
  readonly match: SearchResult;
}

/** A prompt over a known list. */
export abstract class FuzzySuggestModal<T> extends SuggestModal<FuzzyMatch<T>> {
  abstract getItems(): T[];
  abstract getItemText(item: T): string;
  abstract onChooseItem(item: T, event: MouseEvent | KeyboardEvent): void;

  getSuggestions(query: string): FuzzyMatch<T>[] {
    const search = prepareFuzzySearch(query);
    return this.getItems()
      .map((item) => ({ item, match: search(this.getItemText(item)) }))
      .filter((one): one is FuzzyMatch<T> => one.match !== null)
      .sort((a, b) => b.match.score - a.match.score);
  }

  renderSuggestion({ item, match }: FuzzyMatch<T>, el: HTMLElement): void {
    renderResults(el, this.getItemText(item), match);
  }

  onChooseSuggestion({ item }: FuzzyMatch<T>, event: MouseEvent | KeyboardEvent): void {
    this.onChooseItem(item, event);
  }
}
