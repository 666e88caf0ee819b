# The server with the shipped models, on a CPU:
#   docker build -t mesita . && docker run --rm -p 8080:8080 mesita
FROM debian:bookworm-slim
WORKDIR /src/mesita
COPY . .
RUN ./mesita build
EXPOSE 8080
# Outside a container the server listens on loopback only; here the published port is the door.
CMD ["./mesita", "demo", "--host", "0.0.0.0", "--port", "8080"]
