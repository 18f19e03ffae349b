import type { App } from './app';
import { UnknownView } from './unknown-view';
import type { View } from './view';
import type { WorkspaceLeaf } from './workspace-leaf';

export type ViewCreator = (leaf: WorkspaceLeaf) => View;

/** The view factories by type. */
export class ViewRegistry {
  readonly #creators = new Map<string, ViewCreator>();

  constructor(readonly app: App) {}

  register(type: string, creator: ViewCreator): void {
    if (this.#creators.has(type)) {
      throw new Error(`Attempting to register an existing view type "${type}"`);
    }
    this.#creators.set(type, creator);
  }

  /** Leaves of this type stay and show that the plugin is gone, as in the app. */
  unregister(type: string): void {
    this.#creators.delete(type);
    for (const leaf of this.app.workspace.getLeavesOfType(type)) {
      void leaf.open(new UnknownView(leaf, type));
    }
  }

  create(type: string, leaf: WorkspaceLeaf): View {
    return this.#creators.get(type)?.(leaf) ?? new UnknownView(leaf, type);
  }
}
