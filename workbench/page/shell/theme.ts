import type { App } from '../obsidian/app';

export type Theme = 'dark' | 'light';

/** Switches the colours and tells the views, as the app does. */
export function setTheme(app: App, theme: Theme): void {
  document.body.toggleClass('theme-dark', theme === 'dark');
  document.body.toggleClass('theme-light', theme === 'light');
  app.workspace.trigger('css-change');
}
