import type { ComponentChildren } from 'preact';

/**
 * What is not seen, or turns the direction of writing, so that a text would look like another. Tabs
 * and line ends are seen; joiners are part of words in some scripts, and of emoji.
 */
const UNSEEN = /((?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}])/u;

/** A text as it is, as text; characters that nobody would see stand there by their numbers. */
export function ShownText({ text }: { readonly text: string }): ComponentChildren {
  const parts = text.split(UNSEEN);
  if (parts.length === 1) return text;
  return parts.map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <span class="atb-unseen-mark" key={at}>
        {`U+${numberOf(part)}`}
      </span>
    ),
  );
}

function numberOf(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
