// Long-term memory by hark, version {version}. Managed by `hark install`, which leaves a changed copy alone.
//
// Each event goes to `hark hook HOST EVENT` as JSON on stdin; `{"context": "…"}` on its stdout
// goes to the model. Nothing here throws, exceeds its time limit, or blocks a tool.
import { spawn } from "node:child_process"

const HARK = "{hark}"
const HOST = "{host}"
const STORE = "{store}"
const FULL = "{full}"
const GONE = "{gone}"

const LIMIT = 5_000
const MOST_OUTPUT = 65_536
const MOST_INPUT = 262_144

let gone = false

/** The reply of hark, or null. After the binary was missing once, hark is not called again. */
function ask(event, payload) {
  return new Promise((resolve) => {
    if (gone) return resolve(null)
    let child
    try {
      const env = STORE ? { ...process.env, HARK_HOME: STORE } : process.env
      child = spawn(HARK, ["hook", HOST, event], { stdio: ["pipe", "pipe", "ignore"], env, timeout: LIMIT })
    } catch {
      gone = true
      return resolve(null)
    }
    let out = ""
    child.stdout.on("data", (bytes) => {
      if (out.length < MOST_OUTPUT) out += bytes
    })
    child.stdin.on("error", () => {})
    child.on("error", () => {
      gone = true
      resolve(null)
    })
    child.on("close", () => {
      try {
        resolve(JSON.parse(out))
      } catch {
        resolve(null)
      }
    })
    try {
      child.stdin.end(JSON.stringify({ hook_event_name: event, ...payload }))
    } catch {
      child.stdin.end("{}")
    }
  })
}

const context = (reply) => (typeof reply?.context === "string" && reply.context ? reply.context : null)
const clip = (text) => (typeof text === "string" && text.length > MOST_INPUT ? text.slice(0, MOST_INPUT) : text)

let count = 0
/** A part that the model reads and the screen does not show. */
const hidden = (message, text) => ({
  id: `prt_${Date.now().toString(16).padStart(12, "0")}hark${String(++count).padStart(10, "0")}`,
  sessionID: message.sessionID,
  messageID: message.id,
  type: "text",
  text,
  synthetic: true,
})

export const HarkPlugin = async ({ directory, worktree }) => {
  const started = new Set()
  const parents = new Map()
  const about = (session) => ({
    session_id: session,
    parent_id: parents.get(session),
    cwd: directory,
    worktree,
  })

  const hooks = {
    event: async ({ event }) => {
      const info = event.properties?.info
      if (event.type === "session.created" && info?.parentID) parents.set(info.id, info.parentID)
      if (event.type === "session.idle" && FULL) await ask("session.idle", about(event.properties?.sessionID))
      if (event.type === "session.deleted" && info?.id) await ask("session.end", about(info.id))
    },
    "chat.message": async (input, output) => {
      const session = output.message?.sessionID ?? input.sessionID
      const texts = []
      if (!started.has(session)) {
        started.add(session)
        texts.push(context(await ask("session.start", about(session))))
        if (gone) texts.push(GONE)
      }
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      texts.push(context(await ask("chat.message", { ...about(session), prompt: clip(typed.join("\n")) })))
      const text = texts.filter(Boolean).join("\n\n")
      if (text) output.parts.push(hidden(output.message, text))
    },
  }
  if (FULL) {
    hooks["tool.execute.after"] = async (input, output) => {
      const reply = await ask("tool.execute.after", {
        ...about(input.sessionID),
        tool_name: input.tool,
        tool_use_id: input.callID,
        tool_input: input.args,
        tool_response: clip(typeof output.output === "string" ? output.output : undefined),
      })
      const text = context(reply)
      if (!text) return
      if (typeof output.output === "string") output.output += `\n\n${text}`
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text })
    }
    hooks["experimental.session.compacting"] = async (input, output) => {
      const text = context(await ask("session.compacting", about(input.sessionID)))
      if (text && Array.isArray(output.context)) output.context.push(text)
    }
  }
  const quietly = (hook) => async (...args) => {
    try {
      return await hook(...args)
    } catch {}
  }
  return Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, quietly(hook)]))
}
