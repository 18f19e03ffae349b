/** Where a link leads, as far as it may. */
export type LinkTarget =
  | { readonly kind: 'web'; readonly href: string }
  | { readonly kind: 'note'; readonly path: string }
  /** an address that could run or act: it is shown, and leads nowhere */
  | { readonly kind: 'none' };

/**
 * Judges an address by what a browser would make of it. Only the web, mail and notes of the vault
 * are led to; `javascript:`, `data:`, `file:`, `app:` and `obsidian:` are not.
 */
export function linkTarget(address: string): LinkTarget {
  if (address.startsWith('note:')) return { kind: 'note', path: address.slice(5) };
  // Browsers skip blanks and control characters within a scheme.
  const bare = [...address].filter((char) => char > ' ' && char !== '\u007F').join('');
  if (/^(https?:\/\/|mailto:)[^\\]/i.test(bare)) return { kind: 'web', href: bare };
  if (bare === '' || bare.includes(':') || /^[/\\#]/.test(bare)) return { kind: 'none' };
  return { kind: 'note', path: decoded(address) };
}

function decoded(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}
