import { Keymap as MockKeymap } from 'obsidian-test-mocks/obsidian';
import { Scope } from './scope';

/**
 * Decides which scope gets a key: the top of the stack (modals, menus), else the active view's,
 * else the app's.
 */
export class Keymap {
  static readonly isModEvent = MockKeymap.isModEvent.bind(MockKeymap);
  static readonly isModifier = MockKeymap.isModifier.bind(MockKeymap);
  readonly root = new Scope();
  viewScope: () => Scope | null = () => null;
  readonly #stack: Scope[] = [];

  constructor() {
    window.addEventListener('keydown', (event) => this.#top().handle(event), { capture: true });
  }

  pushScope(scope: Scope): void {
    this.#stack.push(scope);
  }

  popScope(scope: Scope): void {
    const at = this.#stack.lastIndexOf(scope);
    if (at !== -1) this.#stack.splice(at, 1);
  }

  #top(): Scope {
    return this.#stack.at(-1) ?? this.viewScope() ?? this.root;
  }
}

/** There is one window, so there is one keymap. */
export const keymap = new Keymap();
