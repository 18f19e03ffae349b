import { KeyedQueue } from '../keyed-queue';
import { StoreError, type NoteStore, type Undo } from '../ports';
import { SHARED_SETTINGS_PATH, sharedSettingsOf, type SharedSettings } from '../shared-settings';
import { alwaysProposal, type AlwaysProposal } from './always-proposals';
import { decide, decideBoth, type Decision, type AccessRequest } from './decide';
import {
  ASK_FOR_ALL,
  DEFAULT_PERMISSIONS,
  flattenRules,
  MAX_RULES,
  readPermissions,
  samePermissions,
  type Permissions,
} from './permissions';
import type { Permitting } from './permitting';
import { makePolicy, policyAsks, type AccessPolicy } from './policy';
import type { ProtectedPlaces } from './protected-places';
import type { AccessKind, Rule } from './rule';
import { ruleChanges, type RuleChange } from './rule-changes';

/** Where what the person confirmed is kept: not in the file that agents might write. */
export interface ConfirmedRules {
  /** undefined: nothing was ever saved */
  load(): Promise<unknown>;
  save(permissions: Permissions): Promise<void>;
}

/** A change of the file that the person did not make here, and did not confirm. */
interface ForeignChange {
  readonly changes: readonly RuleChange[];
  /** why the file can't be followed; then there is nothing to confirm */
  readonly problem: string | undefined;
  /** as they stand in the file */
  readonly permissions: Permissions;
  /** whether the file could be followed with what was confirmed written into it */
  readonly canPutBack: boolean;
}

const NOT_CONFIRMED = 'The rules were changed outside, and you have not confirmed them.';

/**
 * The rules as they stand in the shared settings, held against those that the person confirmed. Where the
 * two differ both must allow, so a change from outside can only narrow.
 */
export class PolicyStore implements Permitting {
  private places: ProtectedPlaces;
  private confirmed = ASK_FOR_ALL;
  private standing = ASK_FOR_ALL;
  private problem: string | undefined;
  /** what was read of the file; undefined: not yet, or it couldn't be */
  private last: { readonly text: string | undefined } | undefined;
  /** as `policies`; undefined until something is asked: it takes a third of the plugin's start */
  private compiled: readonly [AccessPolicy, AccessPolicy?] | undefined;
  private change: ForeignChange | undefined;
  private readonly queue = new KeyedQueue();
  private readonly listeners = new Set<() => void>();
  /** something changed that the listeners were not told of */
  private untold = false;

  constructor(
    private readonly deps: { store: NoteStore; places: ProtectedPlaces; confirmed: ConfirmedRules },
  ) {
    this.places = deps.places;
  }

  /** Until then everything asks. */
  load(): Promise<void> {
    return this.inTurn(async () => {
      const saved = await this.deps.confirmed.load();
      const read = saved === undefined ? DEFAULT_PERMISSIONS : readPermissions(saved);
      // What the person confirmed is not known any more.
      this.confirmed = 'ok' in read ? ASK_FOR_ALL : read;
      this.last = undefined;
      await this.look();
    });
  }

  /** The shared settings may be others now. */
  fileChanged(): Promise<void> {
    return this.inTurn(() => this.look());
  }

  /** The boards are in another folder now. */
  usePlaces(places: ProtectedPlaces): void {
    this.places = places;
    this.update();
    this.tell();
  }

  /** As they stand in the file, which is what the person sees and changes. */
  get permissions(): Permissions {
    return this.standing;
  }

  /** Of {@link permissions}. */
  get policy(): AccessPolicy {
    return this.policies[0];
  }

  decide(request: AccessRequest): Decision {
    const [standing, confirmed] = this.policies;
    if (confirmed === undefined) return decide(standing, request);
    const decision = decideBoth([standing, confirmed], request);
    if (decision.verdict === decide(standing, request).verdict) return decision;
    return { ...decision, why: `${decision.why} ${NOT_CONFIRMED}` };
  }

  asksAbout(operation: AccessKind): boolean {
    return this.policies.some((policy) => policy !== undefined && policyAsks(policy, operation));
  }

  /** A rule at the end of both sets of rules opens what neither denies. */
  proposal(request: AccessRequest): AlwaysProposal | undefined {
    if (this.decide(request).verdict !== 'ask') return undefined;
    const policies = this.policies.filter((policy) => policy !== undefined);
    const asking = policies.find((policy) => decide(policy, request).verdict === 'ask');
    return asking && alwaysProposal(asking, request, policies);
  }

  /**
   * Adds a rule at the end of the file's table and of the confirmed one. What else was changed in the file
   * stays unconfirmed. If it ends between the two, the rule waits to be confirmed.
   */
  add(rule: Rule): Promise<void> {
    return this.inTurn(async () => {
      const withRule = (now: Permissions) => {
        if (now.rules.length >= MAX_RULES) throw new StoreError('denied', FULL);
        return { ...now, rules: [...now.rules, rule] };
      };
      const confirmed = withRule(this.confirmed);
      await this.write((text) => editPermissions(text, withRule));
      await this.confirmAs(confirmed);
    });
  }

  /**
   * Saves what the person changed in the table that they see.
   * @throws StoreError where that is not what stands in the file, or not confirmed
   */
  edit(edit: (now: Permissions) => Permissions): Promise<void> {
    return this.inTurn(async () => {
      let after = this.confirmed;
      await this.write((text) =>
        editPermissions(text, (now) => {
          if (!samePermissions(now, this.confirmed)) throw new StoreError('busy', CHANGED);
          return (after = edit(now));
        }),
      );
      await this.confirmAs(after);
    });
  }

  /** What was changed in the file from outside; undefined where nothing was. */
  foreign(): ForeignChange | undefined {
    return this.change;
  }

  /** Confirms exactly what was seen, not what stands in the file by now. */
  confirm(seen: ForeignChange): Promise<void> {
    return this.inTurn(async () => {
      if (seen.problem === undefined) await this.confirmAs(seen.permissions);
    });
  }

  /** Writes what was confirmed over what stands in the file. */
  putBack(): Promise<void> {
    return this.inTurn(() => this.write((text) => replacePermissions(text, this.confirmed)));
  }

  onChange(listener: () => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private inTurn<T>(task: () => Promise<T>): Promise<T> {
    return this.queue.run('', async () => {
      try {
        return await task();
      } finally {
        this.tell();
      }
    });
  }

  private async write(edit: (text: string | undefined) => string | undefined): Promise<void> {
    try {
      await this.deps.store.update(SHARED_SETTINGS_PATH, edit);
    } finally {
      await this.look();
    }
  }

  private async confirmAs(permissions: Permissions): Promise<void> {
    await this.deps.confirmed.save(permissions);
    this.confirmed = permissions;
    this.update();
  }

  private async look(): Promise<void> {
    const read = await this.read();
    if (read === undefined) return;
    this.standing = read.permissions;
    this.problem = read.permissions === ASK_FOR_ALL ? read.problem : undefined;
    this.update();
  }

  /** The settings, or undefined where they are what was read before. */
  private async read(): Promise<Pick<SharedSettings, 'permissions' | 'problem'> | undefined> {
    try {
      const text = await this.deps.store.read(SHARED_SETTINGS_PATH);
      if (this.last !== undefined && this.last.text === text) return undefined;
      this.last = { text };
      return sharedSettingsOf(text);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.last = undefined;
      return { permissions: ASK_FOR_ALL, problem: error.message };
    }
  }

  private update(): void {
    this.compile();
    this.untold = true;
  }

  /** Once a change is whole: between its file and its confirmation it looks like somebody else's. */
  private tell(): void {
    if (!this.untold) return;
    this.untold = false;
    for (const listener of [...this.listeners]) listener();
  }

  /** Of the file and, where that differs, of what was confirmed. */
  private get policies(): readonly [AccessPolicy, AccessPolicy?] {
    return this.compiled ?? this.compile();
  }

  private compile(): readonly [AccessPolicy, AccessPolicy?] {
    const standing = makePolicy(this.standing, this.places);
    this.change = undefined;
    const { problem } = this;
    if (problem === undefined && samePermissions(this.standing, this.confirmed)) {
      return (this.compiled = [standing]);
    }
    const confirmed = makePolicy(this.confirmed, this.places);
    this.compiled = [standing, confirmed];
    const changes = problem === undefined ? ruleChanges(confirmed, standing) : [];
    const canPutBack = this.last !== undefined && canReplace(this.last.text, this.confirmed);
    this.change = { changes, problem, permissions: this.standing, canPutBack };
    return this.compiled;
  }
}

const FULL = `There are ${MAX_RULES} rules already. Remove one in the settings, then try again.`;

const CHANGED = 'The rules were changed outside. Look at that first, then change them.';

/**
 * Changes the permissions in the text of the shared settings. Everything else in it stays as it is, and
 * so do fields of later versions in what was not changed.
 * @throws StoreError where the settings can't be followed, or the change can't be taken
 */
function editPermissions(
  text: string | undefined,
  edit: (now: Permissions) => Permissions,
): string | undefined {
  const { permissions: now, problem } = sharedSettingsOf(text);
  if (now === ASK_FOR_ALL) {
    throw new StoreError('denied', `${problem ?? ''} Repair the file first.`.trimStart());
  }
  const after = edit(now);
  if (after === now) return text;
  check(after);
  const settings = objectIn(text);
  const raw = isObject(settings['permissions']) ? settings['permissions'] : {};
  const permissions = {
    ...raw,
    ...(after.preset !== now.preset && { preset: after.preset }),
    ...(after.scopes !== now.scopes && { scopes: kept(after.scopes, now.scopes, raw['scopes']) }),
    ...(after.rules !== now.rules && {
      rules: kept(after.rules, now.rules, flattenRules(raw['rules'])),
    }),
  };
  return written({ ...settings, permissions });
}

/**
 * Puts permissions into the text of the shared settings, whatever stands there for them.
 * @throws StoreError where the text is no JSON object
 */
function replacePermissions(text: string | undefined, permissions: Permissions): string {
  return written({ ...objectIn(text), permissions });
}

/** Whether the settings could be followed with these permissions in the place of theirs. */
function canReplace(text: string | undefined, permissions: Permissions): boolean {
  if (text !== undefined && !isObject(parsed(text))) return false;
  return sharedSettingsOf(replacePermissions(text, permissions)).permissions !== ASK_FOR_ALL;
}

/** What was not changed is written as it was read. */
function kept(after: readonly unknown[], now: readonly unknown[], raw: unknown): unknown[] {
  const texts: readonly unknown[] = Array.isArray(raw) ? raw : [];
  return after.map((one) => texts[now.indexOf(one)] ?? one);
}

/** What the file would not be followed with is not written. */
function check(permissions: Permissions): void {
  const read = readPermissions(JSON.parse(JSON.stringify(permissions)));
  if (!('ok' in read)) return;
  const words = read.message.replace(/^[^.]*\. /, '');
  throw new StoreError('denied', `This can't be saved: ${words}.`);
}

function objectIn(text: string | undefined): Record<string, unknown> {
  const value = text === undefined ? {} : parsed(text);
  if (isObject(value)) return value;
  const message = `${SHARED_SETTINGS_PATH} is not a JSON object. Repair it or remove it.`;
  throw new StoreError('denied', message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function written(settings: object): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
