import type { EngineSource } from '../../bridge/serve-engine';
import type { CliEnvironment, Exit, CommandArgs, OpenVault } from '../command';

/** An engine, described by the options of `agent-boards serve`. */
interface DescribedEngine extends EngineSource {
  /** what the sessions run on, for a person */
  readonly on: string;
}

/** Reads the options of an engine; returns an `Exit` if they are invalid. */
export type DescribeEngine = (
  given: CommandArgs,
  environment: CliEnvironment,
  /** prints a warning for the person; the engine is served anyway */
  warn: (text: string) => void,
  vault: OpenVault,
) => Promise<DescribedEngine | Exit>;
