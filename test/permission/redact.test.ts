import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/core/permission/audit/redact';

describe('secrets in texts', () => {
  test.each([
    'sk-0123456789abcdef',
    'pk_0123456789abcdef',
    `npm_${'a1'.repeat(16)}`,
    `hf_${'a1'.repeat(16)}`,
    `gho_${'a1'.repeat(11)}`,
    `github_pat_${'a1'.repeat(11)}`,
    'glpat-0123456789abcdef',
    'xoxb-0123456789',
    'AKIA0123456789ABCDEF',
    'ASIA0123456789ABCDEF',
    `AIza${'a'.repeat(35)}`,
    'eyJhbGciOiJI',
    'bEarer 0123456789abcdef',
    'BASIC 0123456789abcdef',
    'x://me:pass@',
    '-----BEGIN PRIVATE KEY-----abc',
  ])('[AUD3] a text of nothing but %j is a secret', (secret) => {
    expect(new Redactor().text(secret)).toMatch(/^x?\[secret\]$/);
    expect(new Redactor().text(`see ${secret}, there`)).not.toContain(secret);
  });

  test('[AUD3] what a call sent stays as it was, and only what holds a secret is copied', () => {
    const sent = {
      operations: [{ type: 'add', title: 'Look up sk-0123456789abcdef' }, { type: 'list' }],
      login: { user: 'me', password: 'of mine', since: null, kept: true },
      page: { from: 1 },
    };
    const before = structuredClone(sent);
    const kept = new Redactor().value(sent) as typeof sent;
    expect(kept).toEqual({
      operations: [{ type: 'add', title: 'Look up [secret]' }, { type: 'list' }],
      login: { user: 'me', password: '[secret]', since: null, kept: true },
      page: { from: 1 },
    });
    expect(sent).toEqual(before);
    expect(kept.operations[1]).toBe(sent.operations[1]);
    expect(new Redactor().value(sent.page)).toBe(sent.page);
  });

  test('[AUD3] a path that reads like a credential stays; a key or a known secret in it does not', () => {
    const redactor = new Redactor(() => ['the-secret']);
    for (const path of [
      'Basic Electromagnetism.md',
      'Basic Concepts/Introduction.md',
      'Bearer bonds-of-old.md',
      'sk-learn-an-introduction.md',
    ]) {
      expect(redactor.value({ path, real: path })).toEqual({ path, real: path });
      expect(redactor.value({ args: { path, text: path } })).toMatchObject({ args: { path } });
      expect(redactor.text(path)).toContain('[secret]');
    }
    const keys = { path: 'keys/sk-0123456789abcdef.md', real: 'of the-secret.md' };
    expect(redactor.value(keys)).toEqual({ path: 'keys/[secret].md', real: 'of [secret].md' });
  });

  test('[AUD3] a key is looked at as its value is, and a field of any name stays a field', () => {
    const sent = JSON.parse('{"__proto__": "a", "sk-0123456789abcdef": 1}') as object;
    expect(JSON.stringify(new Redactor().value(sent))).toBe('{"__proto__":"a","[secret]":1}');
  });

  test('[AUD3] no text keeps it busy: each is gone through a fixed number of times', () => {
    const redactor = new Redactor();
    for (const part of [
      'eyJ-',
      '-eyJaaaaaaaaa',
      'eyJaaaaaaaa.',
      '://a:',
      'bearer  ',
      'ghp_',
      '-----BEGIN ',
    ]) {
      // With quadratic time this would take minutes, and the test would time out.
      const text = part.repeat(1_000_000 / part.length);
      expect([part, redactor.text(text).length < 1_100]).toEqual([part, true]);
    }
  });
});
