import { createElement, icons } from 'lucide';

/** Names that plugins still use for icons that lucide has renamed. */
const RENAMED_ICONS: Readonly<Record<string, string>> = {
  'alert-circle': 'circle-alert',
  'alert-triangle': 'triangle-alert',
  'check-circle': 'circle-check-big',
  'help-circle': 'circle-question-mark',
  'more-horizontal': 'ellipsis',
  'more-vertical': 'ellipsis-vertical',
  'x-circle': 'circle-x',
  cross: 'x',
  trash: 'trash-2',
};

const pluginIcons = new Map<string, string>();

/** Registers an icon of a plugin's own: what stands inside `<svg viewBox="0 0 100 100">`. */
export function addIcon(id: string, svg: string): void {
  pluginIcons.set(id, svg);
}

export function removeIcon(id: string): void {
  pluginIcons.delete(id);
}

export function getIcon(id: string): SVGSVGElement | null {
  const bare = id.replace(/^lucide-/, '');
  const svg = pluginIcons.get(id);
  if (svg !== undefined) return makePluginIcon(id, svg);
  const node = (icons as Record<string, Parameters<typeof createElement>[0] | undefined>)[
    pascal(RENAMED_ICONS[bare] ?? bare)
  ];
  if (node === undefined) return null;
  const icon = createElement(node) as SVGSVGElement;
  icon.setAttribute('class', `svg-icon lucide-${bare}`);
  return icon;
}

export function getIconIds(): string[] {
  return [...pluginIcons.keys(), ...Object.keys(icons).map((name) => `lucide-${kebab(name)}`)];
}

/** Draws the icon into `parent` in place of what is there; an unknown name leaves it empty. */
export function setIcon(parent: HTMLElement, id: string): void {
  parent.empty();
  const icon = getIcon(id);
  if (icon !== null) parent.append(icon);
}

function makePluginIcon(id: string, svg: string): SVGSVGElement {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">${svg}</svg>`;
  const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
  const icon = document.importNode(parsed.documentElement, true) as unknown as SVGSVGElement;
  icon.setAttribute('class', `svg-icon ${id}`);
  return icon;
}

const pascal = (name: string): string =>
  name.replace(/(^|-)(\w)/g, (_all, _dash: string, letter: string) => letter.toUpperCase());

const kebab = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([a-z])(\d)/g, '$1-$2')
    .toLowerCase();
