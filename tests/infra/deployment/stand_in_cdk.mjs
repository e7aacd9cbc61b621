// In the place of CDK's command line: notes how it was called, writes the outputs that it is told, and ends as told.
import { appendFileSync, writeFileSync } from "node:fs";

const [command, ...rest] = process.argv.slice(2);
const { AWS_REGION, CDK_DISABLE_CLI_TELEMETRY, STAND_IN_NOTES, STAND_IN_OUTPUTS, STAND_IN_STATUS } = process.env;
const noted = { command, rest, directory: process.cwd(), region: AWS_REGION, telemetry: CDK_DISABLE_CLI_TELEMETRY };
appendFileSync(STAND_IN_NOTES, JSON.stringify({ ...noted, node: process.env.PATH.split(":")[0] }) + "\n");
const place = rest.indexOf("--outputs-file");
if (place >= 0 && STAND_IN_OUTPUTS) writeFileSync(rest[place + 1], STAND_IN_OUTPUTS);
process.exitCode = command === "--version" ? 0 : Number(STAND_IN_STATUS ?? 0);
if (command === "--version") console.log("2.1148.1 (build 0000000)");
