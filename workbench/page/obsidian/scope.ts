import type { Modifier } from 'obsidian';
import { Platform } from './platform';

export interface KeymapContext {
  readonly key: string | null;
  readonly vkey: string;
  readonly modifiers: string | null;
}

type KeyHandler = (event: KeyboardEvent, context: KeymapContext) => unknown;

export interface ScopeHandler {
  readonly scope: Scope;
  readonly modifiers: string | null;
  readonly key: string | null;
  readonly func: KeyHandler;
}

/** Key handlers of a modal or view; a handler that returns false ends the event. */
export class Scope {
  readonly #handlers: ScopeHandler[] = [];

  constructor(readonly parent?: Scope) {}

  register(modifiers: Modifier[] | null, key: string | null, func: KeyHandler): ScopeHandler {
    const wanted = modifiers === null ? null : modifiers.map(modifierKey).sort().join(',');
    const handler = { scope: this, modifiers: wanted, key, func };
    this.#handlers.push(handler);
    return handler;
  }

  unregister(handler: ScopeHandler): void {
    const at = this.#handlers.indexOf(handler);
    if (at !== -1) this.#handlers.splice(at, 1);
  }

  /** Returns true if a handler took the key. */
  handle(event: KeyboardEvent): boolean {
    const modifiers = pressedModifiers(event);
    const context = { key: event.key, vkey: event.code, modifiers };
    for (const handler of this.#handlers) {
      const fits =
        (handler.modifiers === null || handler.modifiers === modifiers) &&
        (handler.key === null || handler.key.toLowerCase() === event.key.toLowerCase());
      if (!fits || handler.func(event, context) !== false) continue;
      event.preventDefault();
      event.stopPropagation();
      return true;
    }
    return this.parent?.handle(event) ?? false;
  }
}

function modifierKey(modifier: Modifier): string {
  if (modifier !== 'Mod') return modifier;
  return Platform.isMacOS ? 'Meta' : 'Ctrl';
}

function pressedModifiers(event: KeyboardEvent): string {
  const held = [
    event.altKey && 'Alt',
    event.ctrlKey && 'Ctrl',
    event.metaKey && 'Meta',
    event.shiftKey && 'Shift',
  ];
  return held.filter((name) => name !== false).join(',');
}
