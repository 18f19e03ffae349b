import { FINDING_TEXTS } from '../../core/board/board-findings';
import { CHANGE_FAULTS } from '../../core/board/change-faults';
import { UNDO_FAULTS } from '../../core/board/history/undo-record';
import { NOTE_FAULTS } from '../../core/board/task';
import { BRIDGE_NEWS } from '../../core/bridge-file';
import { IMPORT_FAULTS, IMPORT_LOSSES } from '../../core/exchange/import-fault';
import { WAIT_TEXTS } from '../../core/orchestrator/run-text';
import { RUN_SENTENCES, STATE_LABELS } from '../../core/orchestrator/state';
import { LIMIT_TEXTS } from '../../core/permission/access-limit';
import { NOTE_UNDO_FAULTS } from '../../core/permission/audit/undo-change';
import { AUDIT_PROBLEMS } from '../../core/permission/audit/verify-audit';
import { PROTECTED_WORDS } from '../../core/permission/protected-places';
import { STORE_FAULTS } from '../../core/fault/store-faults';
import {
  boardTexts,
  boardAllAnywayTexts,
  boardAnywayTexts,
  boardReviewTexts,
  boardUndoTexts,
  effectTexts,
  effectAgainTexts,
  fieldNameTexts,
  priorityInsideTexts,
} from './en/board';
import { apiTexts, hookEventTexts } from './en/api';
import { appTexts } from './en/app';
import { askTexts } from './en/ask';
import { auditTexts } from './en/audit';
import { basesTexts } from './en/bases';
import {
  boardViewTexts,
  facetsTexts,
  lanePriorityTexts,
  lanesTexts,
  waitsForTexts,
} from './en/boardView';
import { commonTexts } from './en/common';
import { configModeTexts, configTexts, permissionNameTexts, ruleActionTexts } from './en/config';
import { connectTexts } from './en/connect';
import {
  attachedTexts,
  becameTexts,
  boardChangedByTexts,
  callStateTexts,
  contextPartTexts,
  conversationTexts,
  fieldTexts,
  noteReplyTexts,
  permissionReplyTexts,
  relatedTexts,
  relatedWhyTexts,
  runPromptTexts,
  toolDidTexts,
  toolDoesTexts,
  turnNewsTexts,
} from './en/conversation';
import { datesTexts } from './en/dates';
import { embedTexts } from './en/embed';
import { graphTexts } from './en/graph';
import { linkTexts } from './en/link';
import { lossTexts } from './en/loss';
import { metricsTexts } from './en/metrics';
import { noteTexts } from './en/note';
import { noteTasksTexts } from './en/noteTasks';
import { permissionTexts } from './en/permission';
import { planRiskTexts, runHeldTexts, runTexts, splitRiskTexts } from './en/run';
import { programTexts } from './en/program';
import { providerTexts } from './en/provider';
import { problemsTexts } from './en/problems';
import { personDidTexts, sessionTexts } from './en/session';
import { settingsTexts } from './en/settings';
import { sidebarTexts } from './en/sidebar';
import { spotInPhaseTexts, spotTexts } from './en/spot';
import { priorityTexts, riskLevelTexts, riskTexts, statusTexts } from './en/status';
import { taskNewsTexts } from './en/taskNews';
import { timelineTexts } from './en/timeline';
import { uiTexts } from './en/ui';
import { viewActionsTexts } from './en/viewActions';
import { markInsideTexts, markTexts, riskInsideTexts, stoppedTexts, wordsTexts } from './en/words';

/** All texts of the plugin in English, by the part of the plugin that shows them. */
export const ENGLISH = {
  api: apiTexts,
  app: appTexts,
  ask: askTexts,
  attached: attachedTexts,
  audit: auditTexts,
  auditProblem: AUDIT_PROBLEMS,
  bases: basesTexts,
  became: becameTexts,
  board: boardTexts,
  boardAllAnyway: boardAllAnywayTexts,
  boardAnyway: boardAnywayTexts,
  boardChangedBy: boardChangedByTexts,
  boardReview: boardReviewTexts,
  boardUndo: boardUndoTexts,
  boardView: boardViewTexts,
  bridgeNews: BRIDGE_NEWS,
  callState: callStateTexts,
  changeFault: CHANGE_FAULTS,
  contextPart: contextPartTexts,
  common: commonTexts,
  config: configTexts,
  configMode: configModeTexts,
  connect: connectTexts,
  conversation: conversationTexts,
  dates: datesTexts,
  effect: effectTexts,
  effectAgain: effectAgainTexts,
  embed: embedTexts,
  facets: facetsTexts,
  field: fieldTexts,
  fieldName: fieldNameTexts,
  finding: FINDING_TEXTS,
  graph: graphTexts,
  importFault: IMPORT_FAULTS,
  importLoss: IMPORT_LOSSES,
  lanePriority: lanePriorityTexts,
  lanes: lanesTexts,
  link: linkTexts,
  loss: lossTexts,
  mark: markTexts,
  markInside: markInsideTexts,
  metrics: metricsTexts,
  note: noteTexts,
  noteFault: NOTE_FAULTS,
  noteReply: noteReplyTexts,
  noteTasks: noteTasksTexts,
  noteUndoFault: NOTE_UNDO_FAULTS,
  problems: problemsTexts,
  program: programTexts,
  provider: providerTexts,
  permission: permissionTexts,
  protectedPlace: PROTECTED_WORDS,
  limit: LIMIT_TEXTS,
  hookEvent: hookEventTexts,
  permissionName: permissionNameTexts,
  permissionReply: permissionReplyTexts,
  personDid: personDidTexts,
  planRisk: planRiskTexts,
  priority: priorityTexts,
  priorityInside: priorityInsideTexts,
  related: relatedTexts,
  relatedWhy: relatedWhyTexts,
  risk: riskTexts,
  riskInside: riskInsideTexts,
  riskLevel: riskLevelTexts,
  ruleAction: ruleActionTexts,
  run: runTexts,
  runHeld: runHeldTexts,
  runPrompt: runPromptTexts,
  runSaid: RUN_SENTENCES,
  runState: STATE_LABELS,
  runWait: WAIT_TEXTS,
  session: sessionTexts,
  settings: settingsTexts,
  sidebar: sidebarTexts,
  splitRisk: splitRiskTexts,
  spot: spotTexts,
  spotInPhase: spotInPhaseTexts,
  status: statusTexts,
  stopped: stoppedTexts,
  storeFault: STORE_FAULTS,
  taskNews: taskNewsTexts,
  timeline: timelineTexts,
  toolDid: toolDidTexts,
  toolDoes: toolDoesTexts,
  turnNews: turnNewsTexts,
  ui: uiTexts,
  undoFault: UNDO_FAULTS,
  viewActions: viewActionsTexts,
  waitsFor: waitsForTexts,
  words: wordsTexts,
} as const;
