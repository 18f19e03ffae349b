import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { IN_FULL } from '../in-full';

/** Variants of the app: name, query of the address, and size of the window. */
export const APP_VARIANTS = [
  ['in light', '?theme=light', { width: 1280, height: 800 }],
  ['in dark', '?theme=dark', { width: 1280, height: 800 }],
  ['on a phone', '?theme=light&phone=1', { width: 390, height: 844 }],
] as const;

type AppVariant = readonly [name: string, query: string, size: { width: number; height: number }];

/** The variants in which axe checks everything; `npm test` combines dark and phone. */
export const AXE_VARIANTS: readonly AppVariant[] = IN_FULL
  ? APP_VARIANTS
  : [APP_VARIANTS[0], ['on a phone', '?theme=dark&phone=1', APP_VARIANTS[2][2]]];

interface Axe {
  run(
    part: string,
    options: object,
  ): Promise<{
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  }>;
}

/** Violations that axe finds in parts of pages, by the part's name. */
export class Findings {
  private readonly found: Record<string, readonly string[]> = {};

  /** Checks a part of the page. @param part its selector */
  async check(page: Page, name: string, part: string): Promise<void> {
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await source);
    this.found[name] = await page.evaluate(async (selector) => {
      const { axe } = window as unknown as { axe: Axe };
      // Elements that fade in don't have their final colours yet.
      await Promise.all(document.getAnimations().map(settled));
      const { violations } = await axe.run(selector, {
        // Off by default in axe, as it is experimental.
        rules: { 'label-content-name-mismatch': { enabled: true } },
      });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
      );

      async function settled(one: Animation): Promise<void> {
        const { iterations = 1 } = one.effect?.getTiming() ?? {};
        if (iterations !== Infinity) await one.finished.catch(() => undefined);
      }
    }, part);
  }

  /** Checks the contrast of highlighted words, which axe ignores, on each of their backgrounds. */
  async checkHighlight(page: Page, name: string, places: readonly string[]): Promise<void> {
    this.found[name] = await page.evaluate(
      ([highlight, selectors]) => {
        const context = document.createElement('canvas').getContext('2d');
        if (context === null) throw new Error('There is no canvas.');
        return selectors.flatMap((selector) => {
          const place = document.querySelector(selector);
          if (place === null) return [`${selector} is not there`];
          const style = getComputedStyle(place, highlight);
          const layers: string[] = [style.backgroundColor];
          for (let at: Element | null = place; at !== null; at = at.parentElement)
            layers.unshift(getComputedStyle(at).backgroundColor);
          const surface = luminance(layers);
          const text = luminance([...layers, style.color]);
          const ratio = (Math.max(surface, text) + 0.05) / (Math.min(surface, text) + 0.05);
          return ratio >= 4.5 ? [] : [`${selector}: ${ratio.toFixed(2)}`];
        });

        function luminance(colors: readonly string[]): number {
          if (context === null) return 0;
          for (const color of colors) {
            context.fillStyle = color;
            context.fillRect(0, 0, 1, 1);
          }
          const [red = 0, green = 0, blue = 0] = [...context.getImageData(0, 0, 1, 1).data]
            .map((part) => part / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        }
      },
      [`::highlight(${name})`, places] as const,
    );
  }

  expectNone(): void {
    const none = Object.fromEntries(Object.keys(this.found).map((name) => [name, []]));
    expect(this.found).toEqual(none);
  }
}

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
