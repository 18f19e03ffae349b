import type { Undo } from '../../core/ports';

export type SidebarRequest = 'next-ready' | 'filter' | 'needs-you';

/** What commands want of the sidebars that are open. */
export class SidebarRequests {
  private readonly listeners = new Set<(request: SidebarRequest) => void>();

  on(listener: (request: SidebarRequest) => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  ask(request: SidebarRequest): void {
    for (const listener of [...this.listeners]) listener(request);
  }
}
