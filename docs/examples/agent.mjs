import { createInterface } from "node:readline";

let prompt = "";
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const say = (reply) => console.log(JSON.stringify(reply));
  if (asked.type === "send") {
    say({ type: "answer", text: `You said: ${asked.text}`, tools: [], cost_usd: 0 });
  } else {
    if (asked.type === "start" || asked.type === "reopen") prompt = asked.prompt.text;
    say({ type: "ok" });
  }
  if (asked.type === "close") break;
}
