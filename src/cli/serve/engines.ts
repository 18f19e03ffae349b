import type { ServedBy } from '../../bridge/serve-engine';
import type { CliSurroundings, Exit, Given, OpenVault } from '../command';

/** An engine, described by the options of `agent-boards serve`. */
interface Described extends ServedBy {
  /** what the sessions run on, for a person */
  readonly on: string;
}

/** Reads the options of an engine; returns an `Exit` if they are invalid. */
export type ServeEngine = (
  given: Given,
  around: CliSurroundings,
  /** prints a warning for the person; the engine is served anyway */
  warn: (text: string) => void,
  vault: OpenVault,
) => Promise<Described | Exit>;
